//! The documentation's tours, as written, on a demo.

use spotter_harness::scenario;
use spotter_testing::requirements;

use super::*;

/// Runs a document's commands in order; returns their output.
fn walk(document: &str, folder: &Path, address: &str) -> String {
    let blocks = document.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let script = blocks.collect::<Vec<_>>().join("\n");
    let script = script.replace("http://127.0.0.1:8080", &format!("http://{address}")).replace(
        "DEMO=spotter-demo/demo.json",
        &format!("DEMO={}", folder.join("demo.json").display()),
    );
    let mut shell = Command::new("bash");
    let run = shell.args(["-euo", "pipefail", "-c", &script]).env("SPOTTER", binary());
    let run = run.output().unwrap();
    let response = String::from_utf8(run.stdout).unwrap();
    assert!(run.status.success(), "{response}\n{}", String::from_utf8_lossy(&run.stderr));
    response
}

/// Runs a document's commands on a new demo: it contains these texts in order. Its books and reports hold afterwards.
fn tour(engine: Engine, document: &str, expected: &[&str]) {
    if !requirements::CURL_AND_JQ.is_available() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (address, flags) = (free_address(), demo_in(folder.path(), engine));
    let child = demo(folder.path(), &address, &flags);
    wait_ready(&address);
    let response = walk(document, folder.path(), &address);
    stop(child);
    let data = folder.path().to_str().unwrap().to_owned();
    for checked in [["finance", "audit"], ["reports", "check"]] {
        let own = checked.into_iter().map(str::to_owned);
        let all: Vec<_> = own.chain(["--data".into(), data.clone()]).chain(flags.clone()).collect();
        let (fine, found) = spotter(&all.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(fine, "{checked:?}: {found}");
    }
    let mut rest = response.as_str();
    for part in expected {
        let (_, after) =
            rest.split_once(part).unwrap_or_else(|| panic!("no {part} in\n{response}"));
        rest = after;
    }
}

#[scenario(process)]
fn the_tour_of_the_calendar(engine: Engine) {
    let document = include_str!("../../../../../docs/CALENDAR.md");
    let expected = [
        "[1,\"Europe/Amsterdam\"]",
        "T09:00:00+01:00\",true]",
        "[\"booked\",\"",
        ",1440]",
        "[\"PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE\",[\"coach_busy\",\"client_busy\"],3]",
        "T09:00:00+01:00\",[\"coach_busy\"]]",
        "\"cancellationTiming\":\"early\"",
        "[\"cancelled\",\"client\",\"early\"]",
        "[\"waitlisted\",1]",
        "[\"booked\",null]",
        "1\n[1,1,0]",
        "[\"10:00\",\"10:00\",\"10:00\",\"10:00\"]",
        "[\"11:00\",\"Europe/Amsterdam\"]",
        "\"cancelled\"",
        "[\"Spin\",\"active\",\"07:15\",[]]\n",
        "[true,12,\"22:00\",\"07:00\"]",
        "[true,false]",
    ];
    tour(engine, document, &expected);
}

#[scenario(process)]
fn the_tour_of_finance(engine: Engine) {
    let document = include_str!("../../../../../docs/FINANCE.md");
    let expected = [
        "[14,\"NL91ABNA0417164300\"]",
        "[4900,850,4,12]",
        "[\"open\",\"Gold\",true]",
        "[\"open\",true]",
        "[\"paid\",0]",
        "[\"succeeded\",\"cash\"]",
        "{\"source\":\"credits\",\"state\":\"held\",\"units\":1}",
        "[true,1]",
        "[false,12]",
        "[\"applied\",\"flexible\"]",
        "[\"minimum_term\",3]",
        "[\"credit_note\",900,",
        "[1000,0]",
        "[4900,[\"period\"]]",
        "true",
    ];
    tour(engine, document, &expected);
}

#[scenario(process)]
fn the_tour_of_progress(engine: Engine) {
    let document = include_str!("../../../../../docs/PROGRESS.md");
    let expected = [
        "[\"weight\",\"kg\",\"lb\"]",
        "[176.4,\"lb\"]",
        "{\"systolic\":121,\"diastolic\":79}",
        "[[\"blood_pressure\",null,\"mmHg\"],[\"weight\",80.01,\"kg\"]]",
        "[81.2,\"2026-05-01\",\"recorded\"]",
        "[81.3,\"2026-05-01\",\"recorded\"]",
        "2\n",
        "[\"decrease\",80.01,77.5,50]",
        "done\ndone\ndone\n",
        "[3,3,\"day\"]",
        "200 image/jpeg\n",
        "[true,true,true]",
    ];
    tour(engine, document, &expected);
}

#[scenario(process)]
fn the_tour_of_reports(engine: Engine) {
    let document = include_str!("../../../../../docs/REPORTS.md");
    let expected = [
        "[true,true,false]",
        "{\"partial\":true}",
        "from,to,startsAt,endsAt,partial,attended",
        "[\"EUR\",true,true]",
        "[true]",
        "[0,true]",
    ];
    tour(engine, document, &expected);
}

#[scenario(process)]
fn the_tour_of_forms(engine: Engine) {
    let document = include_str!("../../../../../docs/FORMS.md");
    let expected = [
        "[\"published\",1]",
        "2\n[1,\"assigned\"]",
        "[[\"pain\",\"where\",\"weight\"],[{",
        "\"where\"",
        "\"field\":\"answers.where\"",
        "submitted",
        "\"kg\",\"form\"]",
        "[[true,true]]",
        "[\"Where?\",\"My left knee\"]",
        "reviewed",
        "[\"reviewed\",\"We go easy on the knee.\",null]",
        "[\"assigned\",\"",
        "[\"weekly\",1,\"active\"]",
        "cm",
    ];
    tour(engine, document, &expected);
}

#[scenario(process)]
fn the_tour_of_the_site(engine: Engine) {
    let document = include_str!("../../../../../docs/SITE.md");
    let expected = [
        "{\"slug\":\"riverside\",\"isPublished\":true,\"signUpPolicy\":\"open\"}",
        "Riverside Centre",
        "[\"Trial day\",0]",
        "{\"status\":\"waiting\",\"attemptsLeft\":4}",
        "{\"status\":\"confirmed\",\"outcome\":\"password\"}",
        "{\"name\":\"Trial day\",\"status\":\"completed\"}",
        "\"status\":\"completed\",\"bookingStatus\":\"booked\"}",
        "[\"https://www.example.com\"]",
        "frame-ancestors https://www.example.com",
    ];
    tour(engine, document, &expected);
}

#[scenario(process)]
fn the_tour_of_doors(engine: Engine) {
    let document = include_str!("../../../../../docs/ACCESS-CONTROL.md");
    let expected = [
        "[\"gym\",\"sauna\"]",
        "[\"Front door\",[\"gym\"],800]",
        "[\"deny\",\"membership_missing\",",
        "active",
        "[\"allow\",null,\"Welcome\",\"Ann\",5]",
        "[\"deny\",\"membership_missing\"]",
        "[\"gym\",1]",
        "[\"deny\",\"zone_full\"]",
        "[\"allow\",",
        "[\"allow\",null]",
        "null",
        "[true,true]",
        "\"Lost her card\"",
        "[false,1]",
        "[\"recorded\",",
        "[\"known\"]",
        "false",
        ",true]",
        "30 scans:",
    ];
    tour(engine, document, &expected);
}
