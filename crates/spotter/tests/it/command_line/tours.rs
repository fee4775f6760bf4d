//! The tours of the documentation, as they stand, on a demo.

use super::*;

crate::on_both_engines!(process the_tour_of_the_calendar);

/// Runs a document's commands one after the other: what they print.
fn walk(document: &str, folder: &Path, address: &str) -> String {
    let blocks = document.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let script = blocks.collect::<Vec<_>>().join("\n");
    let script = script.replace("http://127.0.0.1:8080", &format!("http://{address}")).replace(
        "DEMO=spotter-demo/demo.json",
        &format!("DEMO={}", folder.join("demo.json").display()),
    );
    let run = Command::new("bash").args(["-euo", "pipefail", "-c", &script]).output().unwrap();
    let told = String::from_utf8(run.stdout).unwrap();
    assert!(run.status.success(), "{told}\n{}", String::from_utf8_lossy(&run.stderr));
    told
}

fn the_tour_of_the_calendar(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let (address, flags) = (free_address(), demo_in(folder.path(), engine));
    let child = demo(folder.path(), &address, &flags);
    wait_ready(&address);
    let told = walk(include_str!("../../../../../docs/CALENDAR.md"), folder.path(), &address);
    stop(child);
    let expected = [
        "[1,\"Europe/Amsterdam\"]",
        "T09:00\",true]",
        "[\"booked\",\"",
        ",1440]",
        "[\"PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE\",[\"coach_busy\",\"client_busy\"],3]",
        "T09:00\",[\"coach_busy\"]]",
        "\"cancellationTiming\":\"early\"",
        "[\"cancelled\",\"client\",\"early\"]",
        "[\"waitlisted\",1]",
        "[\"booked\",null]",
        "1\n\"coach\"",
        "[\"10:00\",\"10:00\",\"10:00\",\"10:00\"]",
        "[\"11:00\",\"Europe/Amsterdam\"]",
        "\"cancelled\"",
        "[\"Spin\",\"active\",\"07:15\",[]]\n",
    ];
    let mut rest = told.as_str();
    for part in expected {
        let (_, after) = rest.split_once(part).unwrap_or_else(|| panic!("no {part} in\n{told}"));
        rest = after;
    }
}
