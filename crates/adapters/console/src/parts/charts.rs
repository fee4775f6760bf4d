//! Charts as SVG, each with its figures as a table.

use maud::{Markup, html};

use super::{fields::disclosure, lists::table};
use crate::{assets::address, page_context::PageContext};

/// A figure of a chart.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) label: String,
    pub(crate) value: f64,
    /// Whether its period has not ended.
    pub(crate) is_running: bool,
}

/// Where the figures of a chart stand as a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChartTable {
    /// Folded up below it.
    Folded,
    /// Elsewhere on the page, with more columns.
    OnPage,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 56.0;
const BOTTOM: f64 = 28.0;
const TOP: f64 = 12.0;
/// Points that are drawn; of more, the latest.
const POINTS_MAX: usize = 400;

/// The scale of an axis: where it begins, where it ends, and the step of its rules, all round numbers.
fn scale(least: f64, most: f64) -> (f64, f64, f64) {
    let span = (most - least).max(most.abs() * 1e-3).max(1e-6);
    let rough = span / 4.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|times| times * power)
        .find(|step| *step >= rough);
    let step = step.unwrap_or(power * 10.0);
    ((least / step).floor() * step, (most / step).ceil() * step, step)
}

struct Frame {
    from: f64,
    to: f64,
    step: f64,
}

impl Frame {
    fn of(points: &[Point], from_zero: bool) -> Self {
        let values = || points.iter().map(|point| point.value);
        let least = values().fold(f64::INFINITY, f64::min);
        let most = values().fold(f64::NEG_INFINITY, f64::max);
        let (least, most) = if from_zero { (least.min(0.0), most.max(0.0)) } else { (least, most) };
        let (from, to, step) = scale(least, most);
        Self { from, to: if to > from { to } else { from + step }, step }
    }

    fn y(&self, value: f64) -> f64 {
        let height = HEIGHT - BOTTOM - TOP;
        TOP + height * (1.0 - (value - self.from) / (self.to - self.from))
    }

    fn rules(&self, cx: &PageContext<'_, '_>) -> Markup {
        let count = ((self.to - self.from) / self.step).round().clamp(1.0, 12.0) as i32;
        html! {
            @for rule in 0..=count {
                @let value = self.from + self.step * f64::from(rule);
                @let y = format!("{:.1}", self.y(value));
                line.rule x1=(LEFT) x2=(WIDTH) y1=(y) y2=(y) {}
                text x=(LEFT - 8.0) y=(y) dy="4" text-anchor="end" { (cx.written.number(value, 2)) }
            }
        }
    }
}

fn labels(points: &[Point], x: impl Fn(usize) -> f64) -> Markup {
    // As many labels as are readable.
    let every = points.len().div_ceil(6).max(1);
    html! {
        @for (index, point) in points.iter().enumerate().filter(|(index, _)| index % every == 0) {
            text.below.wide[index / every % 2 == 1]
                x=(format!("{:.1}", x(index)))
                y=(HEIGHT - 8.0)
                text-anchor="middle"
            {
                (point.label)
            }
        }
    }
}

/// Number of points from which a chart can be zoomed.
const ZOOM_FROM: usize = 30;

fn drawn(
    cx: &PageContext<'_, '_>,
    name: &str,
    points: &[Point],
    figures: ChartTable,
    drawing: Markup,
) -> Markup {
    let zooms = points.len() >= ZOOM_FROM;
    let rows = points.iter().rev().map(|point| {
        vec![html! { (point.label) }, html! { span.number { (cx.written.number(point.value, 2)) } }]
    });
    let rows = rows.collect();
    html! {
        figure {
            svg.chart viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(name) {
                (drawing)
            }
            @if zooms {
                button.plain.script
                    type="button"
                    data-zoom=(address("uplot.js"))
                    data-style=(address("uplot.css"))
                    data-name=(name)
                {
                    (cx.strings.zoom())
                }
                @for point in points {
                    data.hidden data-at=(point.label) data-value=(point.value) {}
                }
            }
        }
        @if figures == ChartTable::Folded {
            (disclosure(cx.strings.as_table(), table(name, &[cx.strings.period(), name], rows)))
        }
    }
}

fn latest(points: &[Point]) -> &[Point] {
    &points[points.len().saturating_sub(POINTS_MAX)..]
}

/// A line through figures, one after the other.
pub(crate) fn line(
    cx: &PageContext<'_, '_>,
    name: &str,
    unit: &str,
    points: &[Point],
    figures: ChartTable,
) -> Markup {
    let points = latest(points);
    if points.len() < 2 {
        return html! { p.quiet { (cx.strings.too_few_figures()) } };
    }
    let frame = Frame::of(points, false);
    let x = |index: usize| LEFT + (WIDTH - LEFT - 16.0) * index as f64 / (points.len() - 1) as f64;
    let path: Vec<String> = points
        .iter()
        .enumerate()
        .map(|(index, point)| format!("{:.1},{:.1}", x(index), frame.y(point.value)))
        .collect();
    let label = if unit.is_empty() { name.to_owned() } else { format!("{name} ({unit})") };
    let drawing = html! {
        (frame.rules(cx))
        polyline.line points=(path.join(" ")) {}
        @if points.len() <= 60 {
            @for (index, point) in points.iter().enumerate() {
                circle.dot
                    cx=(format!("{:.1}", x(index)))
                    cy=(format!("{:.1}", frame.y(point.value)))
                    r="3"
                {
                    title { (point.label) ": " (cx.written.number(point.value, 2)) " " (unit) }
                }
            }
        }
        (labels(points, x))
    };
    drawn(cx, &label, points, figures, drawing)
}

/// A bar for each figure.
pub(crate) fn bars(
    cx: &PageContext<'_, '_>,
    name: &str,
    points: &[Point],
    figures: ChartTable,
) -> Markup {
    let points = latest(points);
    if points.is_empty() {
        return html! { p.quiet { (cx.strings.too_few_figures()) } };
    }
    let frame = Frame::of(points, true);
    let each = (WIDTH - LEFT) / points.len() as f64;
    let zero = frame.y(0.0);
    let drawing = html! {
        (frame.rules(cx))
        @for (index, point) in points.iter().enumerate() {
            @let y = frame.y(point.value);
            rect.bar.running[point.is_running]
                x=(format!("{:.1}", LEFT + each * (index as f64 + 0.15)))
                y=(format!("{:.1}", y.min(zero)))
                width=(format!("{:.1}", each * 0.7))
                height=(format!("{:.1}", (zero - y).abs()))
                rx="2"
            {
                title {
                    (point.label) ": " (cx.written.number(point.value, 2))
                    @if point.is_running { " (" (cx.strings.period_runs()) ")" }
                }
            }
        }
        (labels(points, |index| LEFT + each * (index as f64 + 0.5)))
    };
    drawn(cx, name, points, figures, drawing)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_scale_holds_its_figures_and_has_few_rules(a in -1e9f64..1e9, b in -1e9f64..1e9) {
            let (least, most) = (a.min(b), a.max(b));
            let (from, to, step) = scale(least, most);
            prop_assert!(from <= least && to >= most, "{from} {to}");
            prop_assert!(step > 0.0 && (to - from) / step <= 7.0, "{from} {to} {step}");
        }
    }
}
