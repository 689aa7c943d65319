"""The style of HTML reports: system fonts, two colour schemes, fit for paper."""

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #57606a; --line: #d0d7de; --page: #fff;
  --good: #116329; --bad: #a40e26; --open: #7a4e00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --dim: #9da7b3; --line: #3d444d;
  --page: #0d1117; --good: #57d364; --bad: #ff8b85; --open: #e3b341; } }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: var(--page);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0; } h1 span { font-weight: normal; }
h2 { font-size: 1.25rem; margin: 2rem 0 0.5rem; } h3 { font-size: 1rem; margin: 0; }
.verdict { font-size: 1.25rem; margin: 0.5rem 0; } .aside { color: var(--dim); margin: 0; }
article { border-left: 0.25rem solid var(--line); margin: 1rem 0; padding: 0 0 0 1rem; }
article p { margin: 0.25rem 0; } .next { font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: 0.5rem 0; }
dt { color: var(--dim); } dd { margin: 0; }
table { border-collapse: collapse; width: 100%; } caption { text-align: left; font-weight: 600;
  padding: 0.5rem 0; }
th, td { border-bottom: 1px solid var(--line); font-weight: normal; padding: 0.25rem 0.5rem;
  text-align: left; vertical-align: top; } thead th { color: var(--dim); }
.number { font-variant-numeric: tabular-nums; text-align: right; }
code { font: 0.9em/1.4 ui-monospace, monospace; } a { color: inherit; }
.pass { color: var(--good); } .fail { color: var(--bad); }
.inconclusive, .warn, .not-run, .unknown { color: var(--open); }
.not-applicable { color: var(--dim); }
@media print { body { max-width: none; padding: 0; } article { break-inside: avoid; } }
"""
