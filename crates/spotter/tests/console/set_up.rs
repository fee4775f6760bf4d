//! A new installation is set up once, by the person who started it.

use spotter_harness::{
    self, Engine,
    browser::{Browser, Form},
    runtime, scenario,
};
use spotter_people::founding;

fn filled(page: &spotter_harness::browser::Page, name: &str) -> Form {
    let email = format!("{}@example.com", name.to_lowercase());
    let form = page.forms().remove(0).with("name", name).with("firstName", "Ada");
    form.with("lastName", "Owner").with("email", &email).with("password", "correct horse battery")
}

#[scenario(process)]
fn a_new_installation_is_set_up_once(engine: Engine) {
    let server = spotter_harness::start(engine, Default::default());
    let link = format!("/set-up?key={}", founding::key(&server.env).unwrap());
    runtime().block_on(async {
        let mut stranger = Browser::at(&server.base);
        for wrong in ["/set-up", "/set-up?key=", "/set-up?key=guessed"] {
            let page = stranger.get(wrong).await.is(404);
            assert_eq!(page.forms().len(), 0);
        }
        let mut owner = Browser::at(&server.base);
        let page = owner.get(&link).await.is(200).shows("Welcome");
        let wrong = filled(&page, "Gym").with("timeZone", "Mars/Olympus");
        let page = owner.send(wrong).await.is(422).shows("timeZone").shows("value=\"Gym\"");
        // Of two people with the link one is first.
        let mut other = Browser::at(&server.base);
        let [first, second] = [filled(&page, "Gym"), filled(&page, "Other")]
            .map(|form| form.with("timeZone", "Europe/Amsterdam"));
        let (one, two) = tokio::join!(owner.send(first), other.send(second));
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert!(statuses[0] == 303 && [404, 422].contains(&statuses[1]), "{statuses:?}");
        let winner = if one.status == 303 { &mut owner } else { &mut other };
        winner.get("/console").await.is(200).shows("Nobody is booked today");
        let over = stranger.get(&link).await.is(404);
        assert_eq!(over.forms().len(), 0);
    });
}
