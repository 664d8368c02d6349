//! Files with the results of a run: JSON for programs, CSV for spreadsheets and charts.

use std::{
    fmt::Display,
    fs,
    path::{Path, PathBuf},
};

use serde::Serialize;
use serde_json::Value;

use crate::Outcome;

/// The options that name files for the figures.
#[derive(clap::Args)]
pub(crate) struct Files {
    /// Also write every figure to this file, as JSON.
    #[arg(long)]
    pub(crate) json: Option<PathBuf>,
    /// Also write every figure to this file, as CSV.
    #[arg(long)]
    pub(crate) csv: Option<PathBuf>,
}

impl Files {
    /// Writes `record` as JSON, a line per field and per item of a list; and its `rows` as CSV, comment lines with the
    /// place of measurement (`place`), a line of field names, one line per row.
    pub(crate) fn write(
        &self,
        record: &impl Serialize,
        place: &impl Display,
        rows: &[impl Serialize],
    ) -> Outcome<()> {
        if let Some(path) = &self.json {
            write(path, fields(&serde_json::to_value(record)?))?;
        }
        self.csv.as_ref().map_or(Ok(()), |path| write(path, lines(&place.to_string(), rows)?))
    }
}

fn fields(record: &Value) -> String {
    let field = |(name, value): (&String, &Value)| match value.as_array() {
        Some(items) if !items.is_empty() => {
            let items: Vec<String> = items.iter().map(Value::to_string).collect();
            format!("{name:?}:[\n{}\n]", items.join(",\n"))
        }
        _ => format!("{name:?}:{value}"),
    };
    let fields: Vec<String> = record.as_object().into_iter().flatten().map(field).collect();
    format!("{{\n{}\n}}\n", fields.join(",\n"))
}

/// Writes a file, and makes its folder.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) -> Outcome<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
    }
    Ok(fs::write(path, text).map_err(|cause| format!("{}: {cause}", path.display()))?)
}

fn lines(place: &str, rows: &[impl Serialize]) -> Outcome<String> {
    let mut lines: Vec<String> = place.lines().map(|line| format!("# {line}")).collect();
    for (i, row) in rows.iter().enumerate() {
        let (mut names, mut cells) = (Vec::new(), Vec::new());
        flatten("", &serde_json::to_value(row)?, &mut names, &mut cells);
        if i == 0 {
            lines.push(names.join(","));
        }
        lines.push(cells.join(","));
    }
    Ok(lines.join("\n") + "\n")
}

/// The leaves of `value` with the path to each, joined by underscores.
fn flatten(path: &str, value: &Value, names: &mut Vec<String>, cells: &mut Vec<String>) {
    if let Value::Object(fields) = value {
        for (name, value) in fields {
            let path = if path.is_empty() { name.clone() } else { format!("{path}_{name}") };
            flatten(&path, value, names, cells);
        }
        return;
    }
    names.push(path.to_owned());
    cells.push(match value {
        Value::Null => String::new(),
        Value::String(text) if text.contains([',', '"', '\n']) => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Serialize)]
    struct Row {
        n: u64,
        who: &'static str,
        us: Us,
    }

    #[derive(Serialize)]
    struct Us {
        median: f64,
        graph: Option<f64>,
    }

    #[test]
    fn fields_and_rows_have_a_line_each() {
        let rows = [4, 8].map(|n| Row { n, who: "a", us: Us { median: 1.5, graph: None } });
        let text = fields(&json!({ "rows": rows, "place": { "gpu": "b" }, "missing": [] }));
        let row = |n| format!(r#"{{"n":{n},"us":{{"graph":null,"median":1.5}},"who":"a"}}"#);
        let rows = format!("\"rows\":[\n{},\n{}\n]", row(4), row(8));
        assert_eq!(text, format!("{{\n\"missing\":[],\n\"place\":{{\"gpu\":\"b\"}},\n{rows}\n}}\n"));
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
    }

    #[test]
    fn rows_become_lines_under_their_fields() {
        let rows = [
            Row { n: 4, who: "a", us: Us { median: 1.5, graph: None } },
            Row { n: 8, who: "b, \"c\"", us: Us { median: 2.0, graph: Some(0.5) } },
        ];
        let text = lines("here\nnow", &rows).unwrap();
        let expected = "# here\n# now\nn,us_graph,us_median,who\n4,,1.5,a\n8,0.5,2.0,\"b, \"\"c\"\"\"\n";
        assert_eq!(text, expected);
    }
}
