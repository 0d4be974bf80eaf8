use domain::gate::DimensionScore;
use domain::review::{Review, Verdict};

use super::{Charset, Look, style};

pub(super) fn render(review: &Review, look: &Look, out: &mut String) {
    let scores = &review.decision.dimension_scores;
    let name_width = scores.iter().map(|score| score.dimension.as_str().len()).max().unwrap_or_default();
    let bar_width = look.width.saturating_sub(name_width + 34).clamp(5, 30);
    let bold = style::BOLD;
    let title = match review.verdict() {
        Verdict::Pass | Verdict::Fail => "Scores",
        Verdict::Inconclusive => "Scores of what was seen",
    };
    out.push_str(&format!("{bold}{title}{bold:#}\n"));
    for score in scores {
        out.push_str(&row(score, name_width, bar_width, look.charset));
    }
    out.push('\n');
}

fn row(score: &DimensionScore, name_width: usize, bar_width: usize, charset: Charset) -> String {
    let met = score.score >= score.minimum;
    let tint = if met { style::GOOD } else { style::BAD };
    let (full, empty) = match charset {
        Charset::Unicode => ("█", "░"),
        Charset::Ascii => ("#", "."),
    };
    let filled = usize::from(score.score) * bar_width / 100;
    let bar = full.repeat(filled) + &empty.repeat(bar_width - filled);
    let demand = match (score.minimum, met) {
        (0, _) => String::new(),
        (minimum, true) => format!(", needs {minimum}"),
        (minimum, false) => format!(", needs {minimum}: too low"),
    };
    let line = format!(
        "  {:name_width$}  {tint}{bar}{tint:#} {:>3}  {}{demand}",
        score.dimension,
        score.score,
        score.weight.as_str()
    );
    format!("{}\n", line.trim_end())
}
