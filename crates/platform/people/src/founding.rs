//! Setting up an installation: its first company, with the person who sets it up as its admin.

use spotter_company::company::{Company, NewCompany, all_companies};
use spotter_contract::{Actor, Caller, Env, Read, Write, vault};
use spotter_kernel::{
    Id, Problem, Result,
    id::{CoachId, CompanyId},
    secret::base64url,
};
use spotter_store::Tx;

use crate::{
    coaches::{self, Coach, NewCoach},
    identity::accounts::{self, Subject},
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
    Ok(all_companies(tx)?.is_empty())
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
