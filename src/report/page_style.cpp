#include "report/page_style.h"

#include "report/svg.h"

#include <fmt/format.h>

namespace fovea::report {
namespace {

constexpr const char* kRules = R"(
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth;scroll-padding-top:1rem}
body{margin:0;background:var(--page);color:var(--fovea-ink);
font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",Arial,sans-serif}
.sheet{max-width:74rem;margin:0 auto;padding:2.5rem 1.5rem 3rem}
h1,h2,h3{line-height:1.25;font-weight:650;text-wrap:balance}
h1{font-size:2rem;letter-spacing:-.015em;margin:0 0 .4rem}
h2{font-size:1.4rem;margin:3rem 0 .8rem;padding-top:1.2rem;border-top:1px solid var(--fovea-grid)}
h3{font-size:1.1rem;margin:2rem 0 .6rem}
p{margin:.7rem 0;max-width:46rem}
.lead{font-size:1.12rem;color:var(--fovea-muted);max-width:46rem;margin:0 0 1.5rem}
a{color:var(--link);text-decoration:none}
a:hover,a:focus-visible{text-decoration:underline}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.86em}
p code,figcaption code,dd code{background:var(--soft);border-radius:4px;padding:.1em .35em}
pre{background:var(--soft);border-radius:8px;padding:.9rem 1.1rem;overflow-x:auto;line-height:1.5}
nav{font-size:.92rem;margin:1.2rem 0 0}
nav ul{list-style:none;margin:0;padding:0;columns:15rem;column-gap:2rem}
nav li{padding:.12rem 0;break-inside:avoid}
nav li.deep{padding-left:1rem}
figure>svg{border-radius:4px}
figure{margin:1.3rem 0;padding:.8rem;background:var(--fovea-paper);border:1px solid var(--fovea-grid);
border-radius:10px;width:fit-content;max-width:100%;break-inside:avoid}
figure svg,figure img{display:block;max-width:100%;height:auto;margin:0 auto}
figure img{border-radius:4px}
figure img.pixels{image-rendering:pixelated;border-radius:0}
figcaption{font-size:.88rem;line-height:1.45;color:var(--fovea-muted);margin-top:.7rem;max-width:46rem}
figcaption b{color:var(--fovea-ink);font-weight:600}
figcaption .command{display:block;margin-top:.35rem;background:none;padding:0;overflow-wrap:anywhere}
figcaption .command::before{content:"$ ";opacity:.6}
.grid{display:grid;gap:1.2rem;margin:1.3rem 0;align-items:start;
grid-template-columns:repeat(auto-fit,minmax(min(100%,max(17rem,calc((100% - (var(--columns) - 1)*1.2rem)/var(--columns)))),1fr))}
.grid figure{margin:0;width:auto}
.scroll{overflow-x:auto;scrollbar-width:thin;max-width:100%;margin:1.3rem 0}
table{border-collapse:collapse;font-size:.92rem;font-variant-numeric:tabular-nums}
caption{text-align:left;font-size:.88rem;color:var(--fovea-muted);padding-bottom:.5rem}
th,td{padding:.4rem .7rem;text-align:left;border-bottom:1px solid var(--fovea-grid)}
th:first-child,td:first-child{padding-left:.2rem}
thead th{font-weight:600;border-bottom:2px solid var(--fovea-axis);vertical-align:bottom}
th .unit{font-weight:400;color:var(--fovea-muted)}
.number{text-align:right}
tbody tr:hover{background:var(--soft)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.35rem 1.4rem;margin:1.2rem 0;font-size:.95rem}
dt{color:var(--fovea-muted)}
dd{margin:0;overflow-wrap:anywhere}
footer{margin-top:3.5rem;padding-top:1.2rem;border-top:1px solid var(--fovea-grid);font-size:.86rem;
color:var(--fovea-muted)}
footer dl{font-size:inherit;margin:0}
@media (max-width:40rem){.sheet{padding:1.5rem 1rem 2rem}h1{font-size:1.6rem}figure{padding:.6rem}
dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}}
@media print{body{font-size:10.5pt}.sheet{max-width:none;padding:0}nav{display:none}
h2{margin-top:1.5rem}h2,h3{break-after:avoid}figure,pre,tr{break-inside:avoid}.scroll{overflow:visible}
figure{border-color:#ccc}a{color:inherit}}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
)";

constexpr const char* kDark = R"(--page:#12151b;--soft:#232934;--link:#8ab4ff;
--fovea-ink:#e6e9ee;--fovea-muted:#a0a9b8;--fovea-paper:#191d25;--fovea-grid:#2c333f;--fovea-axis:#69748a;
)";

std::string light_variables() {
  std::string text = "--page:#f7f8fa;--soft:#eceff3;--link:#1f5fc4;\n";
  for (const ThemeColor& color :
       {theme::kInk, theme::kMuted, theme::kPaper, theme::kGrid, theme::kAxis})
    text += fmt::format("{}:{};", color.name, hex(color.light));
  for (int i = 0; i < kPaletteSize; ++i)
    text += fmt::format("--fovea-series-{}:{};", i + 1, hex(series_color(i, {}).light));
  return text;
}

std::string dark_variables() {
  std::string text = kDark;
  for (int i = 0; i < kPaletteSize; ++i)
    text += fmt::format("--fovea-series-{}:{};", i + 1, hex(series_color_on_dark(i)));
  return text;
}

}  // namespace

std::string page_style() {
  // Printed pages are white, whatever theme the screen has.
  return fmt::format(
      ":root{{color-scheme:light dark;{}}}\n@media screen and (prefers-color-scheme:dark){{"
      ":root{{{}}}}}{}",
      light_variables(), dark_variables(), kRules);
}

}  // namespace fovea::report
