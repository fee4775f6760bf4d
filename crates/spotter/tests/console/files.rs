//! Files on pages: uploaded with forms, opened with permission.

use serde_json::json;
use spotter_harness::{
    App, browser::Browser, forms::give, people, progress::TURNED, random_text, scenario, text,
};

const PDF: &[u8] = b"%PDF-1.7\n% a page\n%%EOF\n";

/// Opens a file as a browser does: by way of its signed address.
async fn opened(browser: &mut Browser, address: &str) -> (u16, String) {
    let page = browser.get(address).await;
    match page.status {
        303 => {
            let file = browser.get(&page.location).await;
            (file.status, file.text)
        }
        status => (status, page.text),
    }
}

#[scenario]
async fn a_document_is_uploaded_once_and_opened_by_its_owner(app: App) {
    let email = people::client_with_address(&app).await;
    let found = app.get(&format!("/clients?search={email}")).await.ok();
    let client = text(found.data(), "/clients/0/clientId");
    let mut staff = Browser::of(&app, &app.admin_email).await;
    let page = staff.get(&format!("/console/clients/{client}/files")).await.is(200);
    let form = page.form("file_document").with("type", "contract").with("name", "Contract 1");
    for _ in 0..2 {
        // A form that is sent twice is taken once.
        let sent = staff.send_file(form.clone(), "uploadId:file", "a b.pdf", PDF.to_vec()).await;
        assert_eq!(sent.status, 303, "{}", sent.main());
    }
    app.announced(&["document.linked"]).await;
    let page = staff.get(&format!("/console/clients/{client}/files")).await.shows("Contract 1");
    let link = |page: &spotter_harness::browser::Page| {
        let mut links = page.links().into_iter();
        links.find(|link| link.starts_with("/console/files/documents/")).unwrap()
    };
    let address = link(&page);
    let whole = String::from_utf8(PDF.to_vec()).unwrap();
    assert_eq!(opened(&mut staff, &address).await, (200, whole.clone()));

    let mut own = Browser::of(&app, &email).await;
    let page = own.get("/my/files").await.is(200).shows("Contract 1");
    assert_eq!(opened(&mut own, &link(&page)).await, (200, whole.clone()));
    let theirs = page.form("file_document").with("type", "plan");
    let sent = own.send_file(theirs, "uploadId:file", "plan.pdf", PDF.to_vec()).await;
    assert_eq!(sent.status, 303, "{}", sent.main());
    own.get("/my/files").await.is(200).shows("plan.pdf");
    staff.get(&format!("/console/clients/{client}/files")).await.shows("plan.pdf");

    let another = people::client_with_address(&app).await;
    let mut another = Browser::of(&app, &another).await;
    assert_eq!(opened(&mut another, &address).await.0, 404);
    let other = App::new(app.server.clone()).await;
    let mut other = Browser::of(&other, &other.admin_email).await;
    assert_eq!(opened(&mut other, &address).await.0, 404);
    let nobody = Browser::new(&app).get(&address).await;
    assert!(nobody.location.starts_with("/sign-in"), "{nobody:?}");
    app.events().await;
}

#[scenario]
async fn foreign_files_are_refused_at_their_field(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let mut staff = Browser::of(&app, &app.admin_email).await;
    let path = format!("/console/clients/{client}/files");
    let form = async |staff: &mut Browser| {
        staff
            .get(&path)
            .await
            .form("file_document")
            .with("type", "other")
            .with("name", "Kept words")
    };
    for (name, bytes, answer) in [
        ("x.exe", b"MZ".to_vec(), "must be a picture"),
        ("x.pdf", b"no pages".to_vec(), "must be application/pdf"),
        ("..", PDF.to_vec(), "must be a picture"),
    ] {
        let form = form(&mut staff).await;
        let refused = staff.send_file(form, "uploadId:file", name, bytes).await.is(422);
        refused.shows(answer).shows("Kept words").shows("aria-invalid");
    }
    let none = form(&mut staff).await;
    staff.send_file(none, "uploadId:file", "", Vec::new()).await.is(422).shows("aria-invalid");
    // Nobody who is not signed in can make the server hold large bodies.
    let large = vec![b'x'; 2 << 20];
    let form = form(&mut staff).await;
    let stranger =
        Browser::new(&app).send_file(form.clone(), "uploadId:file", "x.pdf", large).await;
    assert!(stranger.location.starts_with("/sign-in"), "{}", stranger.status);
    let huge = [PDF, &vec![b'x'; 26 << 20]].concat();
    staff.send_file(form, "uploadId:file", "x.pdf", huge).await.is(413);
    assert_eq!(app.get(&format!("/documents?clientId={client}")).await.data()["total"], 0);
    app.announced(&[]).await;
}

#[scenario]
async fn messages_photos_and_answers_bring_files(app: App) {
    let email = people::client_with_address(&app).await;
    let found = app.get(&format!("/clients?search={email}")).await.ok();
    let client = text(found.data(), "/clients/0/clientId");
    let mut own = Browser::of(&app, &email).await;

    let coaches = app.app("GET", "/coaches", None).await.ok();
    let admin = text(coaches.data(), "/coaches/0/coachId");
    let page = own.get("/my/messages").await.form("open_conversation").with("userIds", &admin);
    let thread = own.send(page).await.location;
    let page = own.get(&thread).await.is(200);
    let is_file = |form: &spotter_harness::browser::Form| form.field("uploadId:file").is_some();
    let form = page.forms().into_iter().find(is_file).unwrap().with("text", "Look");
    let sent = own.send_file(form, "uploadId:file", "knee.pdf", PDF.to_vec()).await;
    assert_eq!(sent.status, 303, "{}", sent.main());
    let page = own.get(&thread).await.shows("Look").shows("knee.pdf");
    let mut links = page.links().into_iter();
    let address = links.find(|link| link.starts_with("/console/files/messages/")).unwrap();
    let file = own.get(&address).await.is(200);
    assert_eq!(file.text.as_bytes(), PDF);
    assert!(file.headers["content-disposition"].to_str().unwrap().contains("knee.pdf"));
    let another = people::client_with_address(&app).await;
    Browser::of(&app, &another).await.get(&address).await.is(404);
    app.events().await;

    let page = own.get("/my/progress").await.is(200);
    let form = page.form("add_progress_photo").with("pose", "front");
    let sent = own.send_file(form, "uploadId:photo", "me.jpg", TURNED.to_vec()).await;
    assert_eq!(sent.status, 303, "{}", sent.main());
    app.announced(&["progress_photo.created"]).await;

    let form = json!({"name": format!("Scan {}", random_text()), "kind": "general",
        "questions": [{"questionId": "scan", "type": "file", "label": "A scan", "required": true},
            {"questionId": "why", "type": "text", "label": "Why"}]});
    let made = app.app("POST", "/forms", Some(form)).await.ok();
    let form = text(made.data(), "/form/formId");
    app.app("POST", &format!("/forms/{form}/publish"), None).await.ok();
    let given = give(&app, &client, &form).await;
    let path = format!("/my/forms/{given}");
    let page = own.get(&path).await.is(200);
    let form = page.form("save_form_draft").with("answers.why", "Knee");
    let sent = own.send_file(form, "answers.scan:answer", "scan.pdf", PDF.to_vec()).await;
    assert_eq!(sent.status, 303, "{}", sent.main());
    // The uploaded file stays where no other is chosen.
    let page = own.get(&path).await.shows("scan.pdf");
    let form = page.form("save_form_draft").with("answers.why", "Left knee");
    let sent = own.send_file(form, "answers.scan:answer", "", Vec::new()).await;
    assert_eq!(sent.status, 303, "{}", sent.main());
    let page = own.get(&path).await.shows("scan.pdf").shows("Left knee");
    own.act(page.form("submit_form")).await;
    let mut staff = Browser::of(&app, &app.admin_email).await;
    let page = staff.get(&format!("/console/clients/{client}/forms/{given}")).await.is(200);
    let mut links = page.links().into_iter();
    let address = links.find(|link| link.starts_with("/console/files/answers/")).unwrap();
    let whole = String::from_utf8(PDF.to_vec()).unwrap();
    assert_eq!(opened(&mut staff, &address).await, (200, whole));
    app.events().await;
}
