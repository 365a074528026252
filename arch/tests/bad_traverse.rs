//! Faulty text of traversal commands: every message names line, field, value and what is allowed.

use heddle_arch::traverse::parse;

/// Faulty text and all messages that it gets.
const BAD_TEXT: &[(&str, &[&str])] = &[
    (
        "tensor row 0 base 0",
        &[
            "line 1: \"tensor\", expected an instruction: traverse, set_initial, set_step, set_end or start",
        ],
    ),
    (
        "traverse fast\n  tensor row 0 base 0\n  tensor row 9 base 0",
        &[
            "line 1: \"fast\", expected offset_only, on_demand or window FIRST..END",
            "line 3: row is \"9\", expected a number from 0 to 7, decimal or 0x",
        ],
    ),
    (
        "traverse on_demand on_demand",
        &["line 1: on_demand for the second time, expected it once"],
    ),
    (
        "start window 4\nstart window\nstart window 4..4\nstart window 0..0x100000001",
        &[
            "line 1: window is \"4\", expected FIRST..END, the end not included",
            "line 2: window has no value",
            "line 3: start: end of window is 4, expected 5 to 4294967296",
            "line 4: end of window is \"0x100000001\", expected a number from 0 to 4294967296, decimal or 0x",
        ],
    ),
    (
        "set_initial offset_only",
        &["line 1: \"offset_only\", expected the end of line"],
    ),
    (
        "start\n\n  row 0 # not here",
        &[
            "line 3: \"row\", expected an instruction, traverse, set_initial, set_step, set_end or start: start has no rows",
        ],
    ),
    (
        "traverse\nbody row 0 base 0\nrow 0 base 0",
        &[
            "line 2: \"body\", expected a row, prologue, tensor or epilogue, or an instruction, traverse, set_initial, set_step, set_end or start",
            "line 3: \"row\", expected a row, prologue, tensor or epilogue, or an instruction, traverse, set_initial, set_step, set_end or start",
        ],
    ),
    (
        "traverse\ntensor base 0\ntensor row 0\ntensor row 0 base -1\ntensor row 0 row 1 base 0\ntensor row 0 base 0 equal trips",
        &[
            "line 2: tensor has no row, expected row VALUE",
            "line 3: tensor has no base, expected base VALUE",
            "line 4: base is \"-1\", expected a number from 0 to 4294967295, decimal or 0x",
            "line 5: row beside another one, expected one at most",
            "line 6: trips beside another one, expected one at most",
        ],
    ),
    (
        "traverse\ntensor row 0 base 0 loops\ntensor row 0 base 0 loops 0:1\ntensor row 0 base 0 loops 0:1:z\ntensor row 0 base 0 loops 0:1:2 0:1:2\ntensor row 0 base 0 loops 0:1:2,\ntensor row 0 base 0 loops 0:1:2,,0:1:2\ntensor row 0 base 0 loops ,0:1:2\ntensor row 0 base 0 loops 0: 1:2,0:1:2",
        &[
            "line 2: loops has no value",
            "line 3: loop is \"0:1\", expected INITIAL:STEP:END",
            "line 4: end is \"z\", expected a number from 0 to 4294967295, decimal or 0x",
            "line 5: \"0:1:2\" behind the loops, expected a comma or the end of line",
            "line 6: loops has no value beside a comma",
            "line 7: loops has no value beside a comma",
            "line 8: loops has no value beside a comma",
            "line 9: \"1:2\" behind the loops, expected a comma or the end of line",
        ],
    ),
    (
        "set_end\ntensor row 0\nrow 0 loops 1, 2, 3, 4, 5, 6, 7, 8, 9\nrow 0 ends 4",
        &[
            "line 2: \"tensor\", expected row NUMBER, or an instruction, traverse, set_initial, set_step, set_end or start",
            "line 3: 9 loops, expected at most 8",
            "line 4: \"ends\", expected loops or the end of line",
        ],
    ),
    (
        "traverse\nprologue row 0 base 0 attach 8",
        &["line 2: attach is \"8\", expected a number from 0 to 7, decimal or 0x"],
    ),
];

#[test]
fn faulty_text_is_explained_line_by_line() {
    for (text, expected) in BAD_TEXT {
        let errors = parse(text).expect_err(text);
        let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(&messages, expected, "{text}");
    }
    let long: String = "traverse\n".to_string() + &"tensor row 0 base 0\n".repeat(128);
    let errors = parse(&long).expect_err("too long");
    let expected = "line 1: traverse: length is 257, expected at most 255";
    assert_eq!(errors[0].to_string(), expected);
}

#[test]
fn loops_are_separated_by_commas_with_or_without_space() {
    let of = |separator: &str| {
        let loops = ["0:1:2", "0:6:12", "0:2:6"].join(separator);
        let (offsets, steps) = (["0"; 3].join(separator), ["1", "6", "2"].join(separator));
        parse(&format!(
            "traverse\ntensor row 1 base 0 loops {loops}\nset_initial\ntensor row 1 base 0 loops \
             {offsets}\nset_step\nrow 1 loops {steps}\nset_end\nrow 1 loops {steps}"
        ))
    };
    let printed = of(", ").expect("the form that is printed");
    assert!(
        printed[0]
            .to_string()
            .ends_with("loops 0:1:2, 0:6:12, 0:2:6")
    );
    for separator in [",", " ,", " , ", ",\t", ",  "] {
        assert_eq!(of(separator).as_ref(), Ok(&printed), "{separator:?}");
    }
    assert!(of(" ").is_err());
}

#[test]
fn comments_space_and_order_of_options_mean_nothing() {
    let plain = parse("traverse\n  tensor row 1 base 0x2a equal loops 0:1:2\n").expect("no fault");
    let loose = "# by hand\r\n\ttraverse # all\n\n tensor  equal base 42 row 0x1 loops 0x0:1:0X2 ";
    assert_eq!(parse(&loose.replace('X', "x")), Ok(plain.clone()));
    let errors = parse(loose).expect_err("0X");
    assert_eq!(errors[0].line, 4);
    assert_eq!(
        plain[0].to_string(),
        "traverse\n  tensor row 1 base 0x2a equal loops 0:1:2"
    );
}
