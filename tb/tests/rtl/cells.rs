//! Memory cells that do no more than they must.

/// The text of a cell, in which a word that is not held, or that is read while it is written, is not the one in the memory.
pub fn least(name: &str, text: &str) -> String {
    worse(name, text, "~")
}

/// The same with words that are not known.
pub fn unknown(name: &str, text: &str) -> String {
    worse(name, text, "{Width{1'bx}} ^ ")
}

fn worse(name: &str, text: &str, not: &str) -> String {
    let (read, stale) = match name {
        "heddle_ram_1rw.v" => ("if (en_i && !wen_i) rdata_o <= mem_q[addr_i];", "1'b0"),
        "heddle_ram_1r1w.v" | "heddle_ram_1r1w_lanes.v" => (
            "if (ren_i) rdata_o <= mem_q[raddr_i];",
            "(|wen_i) && waddr_i == raddr_i",
        ),
        _ => return text.into(),
    };
    assert!(text.contains(read), "{name} has no \"{read}\"");
    let (condition, word) = read.split_once(" rdata_o <= ").expect("a read");
    let word = word.trim_end_matches(';');
    text.replace(
        read,
        &format!("{condition} rdata_o <= Hold == 0 && ({stale}) ? {not}{word} : {word};\n    else if (Hold == 0) rdata_o <= {not}rdata_o;"),
    )
}
