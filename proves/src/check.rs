//! What may stand in the attribute, and what it may stand on.

/// The list, an ID at the start of each line.
const REQUIREMENTS: &str = include_str!("../../docs/requirements.csv");

fn ids() -> impl Iterator<Item = &'static str> {
    let lines = REQUIREMENTS.lines().skip(1);
    lines.filter_map(|line| line.split(',').next())
}

/// First and last ID of each family.
fn allowed() -> String {
    let family = |id: &str| id.split('-').next().map(str::to_owned);
    let ids: Vec<_> = ids().collect();
    let families = ids.chunk_by(|a, b| family(a) == family(b));
    let ranges = families.map(|ids| format!("{:?} to {:?}", ids[0], ids[ids.len() - 1]));
    ranges.collect::<Vec<_>>().join(", ")
}

/// The tokens between the parentheses of the attribute.
pub fn requirements(tokens: &[String]) -> Result<(), String> {
    if tokens.is_empty() {
        return Err(format!("proves is empty, expected {}", allowed()));
    }
    // rustfmt puts a comma behind the last one of a long list.
    let tokens = tokens.strip_suffix(&[",".to_owned()]).unwrap_or(tokens);
    let arguments: Vec<_> = tokens.split(|t| t == ",").map(<[_]>::concat).collect();
    for (i, argument) in arguments.iter().enumerate() {
        if !ids().any(|id| *argument == format!("{id:?}")) {
            return Err(format!("proves has {argument}, expected {}", allowed()));
        }
        if arguments[..i].contains(argument) {
            return Err(format!("proves has {argument} twice, expected once"));
        }
    }
    Ok(())
}

/// The tokens of the item below the attribute.
pub fn item(tokens: &[String]) -> Result<(), String> {
    let attributes = tokens.chunks(2).take_while(|pair| pair[0] == "#");
    let attributes: Vec<_> = attributes.map(|pair| pair[1].as_str()).collect();
    if !attributes.contains(&"[test]") {
        return Err("proves stands on no test, expected #[test] below it".into());
    }
    if attributes.iter().any(|text| text.starts_with("[proves")) {
        return Err("proves stands on a test twice, expected one with all requirements".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn requirements_of_the_list_are_taken_once() {
        let check = |text| requirements(&tokens(text));
        let taken = [
            r#""TTU-003""#,
            r#""SPM-01" , "PET-X2" , "#,
            r#""FSA-87" , "SGCR-58""#,
        ];
        assert_eq!(taken.map(check), [const { Ok(()) }; 3]);
        let list = r#""TTU-001" to "TTU-068", "SGCR-01" to "SGCR-58", "SPM-01" to "SPM-51", "PET-01" to "PET-X4", "FSA-01" to "FSA-87""#;
        for (text, found) in [
            ("", "is empty"),
            (r#""TTU-3""#, r#"has "TTU-3""#),
            (r#""TTU-069""#, r#"has "TTU-069""#),
            (r#""ttu-003""#, r#"has "ttu-003""#),
            (r#"r"TTU-003""#, r#"has r"TTU-003""#),
            ("TTU - 003", "has TTU-003"),
            (r#""TTU-003" "TTU-004""#, r#"has "TTU-003""TTU-004""#),
            (r#""TTU-003" , , "#, "has "),
        ] {
            assert_eq!(check(text), Err(format!("proves {found}, expected {list}")));
        }
        let twice = r#"proves has "TTU-003" twice, expected once"#;
        let text = r#""TTU-003" , "TTU-004" , "TTU-003""#;
        assert_eq!(check(text), Err(twice.into()));
    }

    #[test]
    fn a_test_follows_and_no_other_list() {
        let check = |text| item(&tokens(text));
        let taken = [
            "# [test] fn f () {}",
            "# [should_panic] # [test] pub fn f () {}",
        ];
        assert_eq!(taken.map(check), [const { Ok(()) }; 2]);
        for (text, found) in [
            ("fn f () {}", "no test, expected #[test] below it"),
            (
                "# [cfg(test)] mod f {}",
                "no test, expected #[test] below it",
            ),
            ("struct Test ;", "no test, expected #[test] below it"),
            (
                r#"# [proves("TTU-004")] # [test] fn f () {}"#,
                "a test twice, expected one with all requirements",
            ),
        ] {
            assert_eq!(check(text), Err(format!("proves stands on {found}")));
        }
    }
}
