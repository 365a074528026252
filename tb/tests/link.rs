//! Several designs linked into one program, as the build script does it.

use std::path::Path;
use std::process::Command;

use heddle_tb::verilate::{Options, Sources, build_objects};
use heddle_tb::{Api, Model};
use libloading::Library;

/// A top module with a submodule that Verilator keeps as a class of its own.
fn sources(top: &str, step: u32) -> Sources {
    Sources::single(
        top,
        format!(
            "module {top} (input wire clk, output wire [7:0] q_o);
  part u_part (.clk(clk), .q_o(q_o));
endmodule
module part (input wire clk, output reg [7:0] q_o);
  /* verilator no_inline_module */
  always @(posedge clk) q_o <= q_o + 8'd{step};
endmodule
"
        ),
    )
}

fn designs(second_step: u32) -> Vec<(String, Sources)> {
    vec![
        ("first".into(), sources("same", 1)),
        ("second".into(), sources("same", second_step)),
        ("first_part".into(), sources("part_user", 3)),
    ]
}

#[test]
fn equal_module_names_do_not_clash_and_only_changes_are_built() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::default();
    let built = build_objects(&designs(2), &options, folder.path()).unwrap();
    assert_eq!(built.rebuilt, ["first", "second", "first_part"]);

    let library = folder.path().join("all.so");
    let status = Command::new("c++")
        .args(["-shared", "-pthread", "-o"])
        .arg(&library)
        .args(&built.objects)
        .status()
        .unwrap();
    assert!(status.success());
    // SAFETY: the shims define the symbols; the library outlives the models.
    unsafe {
        let library = Library::new(&library).unwrap();
        let counts = built.designs.iter().map(|(_, symbol)| {
            let api = library.get::<unsafe extern "C" fn() -> *const Api>(symbol.as_bytes());
            let mut model = Model::from_api(api.unwrap()(), None).unwrap();
            model.cycles(10);
            model.get(model.port("q_o").unwrap())
        });
        assert_eq!(counts.collect::<Vec<_>>(), [10, 20, 30]);
    }

    let again = build_objects(&designs(2), &options, folder.path()).unwrap();
    assert!(again.rebuilt.is_empty());
    assert_eq!(again.objects, built.objects);
    let changed = build_objects(&designs(5), &options, folder.path()).unwrap();
    assert_eq!(changed.rebuilt, ["second"]);
}

#[test]
fn a_name_given_twice_is_refused() {
    let mut list = designs(2);
    list[1].0 = "first".into();
    let error = build_objects(&list, &Options::default(), Path::new("/no/folder")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "design first is listed twice, expected different names"
    );
    assert_eq!(error.exit_code(), 2);
}
