// Reads [[latex, display], …] on stdin; writes the formulas that KaTeX or MathJax refuses.
const katex = require("katex");
const configuration = {
  loader: { load: ["input/tex-base", "[tex]/ams", "output/svg"] },
  tex: { packages: ["base", "ams"], formatError: (_, error) => { throw error; } },
  svg: { fontCache: "none" },
};

function refused(renderer, formulas, render) {
  return formulas.flatMap(([source, display]) => {
    try {
      render(source, display);
      return [];
    } catch (error) {
      return [`${renderer}: ${error.message}: ${source}`];
    }
  });
}

require("mathjax").init(configuration).then((MathJax) => {
  const formulas = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const findings = [
    ...refused("KaTeX", formulas, (source, displayMode) =>
      katex.renderToString(source, { displayMode, strict: "error" })),
    ...refused("MathJax", formulas, (source, display) => MathJax.tex2svg(source, { display })),
  ];
  console.log(JSON.stringify(findings));
});
