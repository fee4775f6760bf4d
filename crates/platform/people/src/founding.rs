//! Setting up an installation: its first company, with the person who sets it up as its admin.

use serde::Serialize;
use spotter_company::{
    companies,
    company::{Company, NewCompany},
};
use spotter_contract::{Actor, Caller, Env, Read, Write, vault};
use spotter_kernel::{
    Id, Problem, Result,
    id::{CoachId, CompanyId},
    secret::base64url,
};
use spotter_store::Tx;

use crate::{
    coaches::{self, Coach, NewCoach},
    identity::accounts::{self, Invitation, Subject},
    rules::PeopleRule,
};

/// The key that allows setting an installation up: it is printed for the operator at start, and valid until there is
/// a company.
pub fn key(env: &Env) -> Result<String> {
    Ok(base64url(&env.vault.sign("set up", b"")?))
}

/// Whether a key is the installation's.
pub fn is_key(env: &Env, view: &str) -> Result<bool> {
    Ok(vault::same(key(env)?.as_bytes(), view.as_bytes()))
}

/// Whether there is no company yet.
pub fn is_open(tx: &mut Tx) -> Result<bool> {
    companies::is_empty(tx)
}

/// Creates the first company and its admin, with the hash of a password; 409 where another request was faster.
pub fn found(
    tx: &mut Tx,
    env: &Env,
    request_id: &str,
    company: NewCompany,
    admin: NewCoach,
    hash: &str,
) -> Result<(CompanyId, Id)> {
    if !is_open(tx)? {
        return Err(Problem::conflict("company", PeopleRule::CompanyExists));
    }
    let (id, now) = (CompanyId(env.new_id()), env.clock.now());
    Company::create(tx, id, company, now)?;
    let caller = Caller::new(id, Actor::System);
    let mut cx = Write::new(Read::new(tx, &caller, now), env, "set_up", &[], request_id)?;
    let coach: CoachId = coaches::create(&mut cx, admin)?.coach_id;
    Coach::activate(&mut cx, coach)?;
    let email = Coach::find(&mut cx, coach)?.email().to_owned();
    accounts::open_account(&mut cx, Subject::Coach, coach.0, &email, hash)?;
    cx.audit()?;
    Ok((id, coach.0))
}

/// A company that was signed up beside others, with its first admin, who is invited.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedUpCompany {
    /// The company's id.
    pub company_id: CompanyId,
    /// Its admin.
    pub admin: Coach,
    /// How the admin chooses a password.
    pub invitation: Invitation,
}

/// Signs a company up, for the operator of the installation.
pub fn sign_up(
    tx: &mut Tx,
    env: &Env,
    company: NewCompany,
    admin: NewCoach,
) -> Result<SignedUpCompany> {
    let (company_id, now) = (CompanyId(env.new_id()), env.clock.now());
    Company::create(tx, company_id, company, now)?;
    let mut signed_up = None;
    Write::as_system(tx, env, company_id, "create_company", &[], |cx| {
        let admin = coaches::create(cx, admin)?;
        let invitation = admin.invite(cx)?;
        signed_up = Some(SignedUpCompany { company_id, admin, invitation });
        Ok(())
    })?;
    signed_up.ok_or_else(|| Problem::internal("nobody was invited"))
}
