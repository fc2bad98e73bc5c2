// SPDX-License-Identifier: Apache-2.0
// Tokenises whole programs with the TextMate grammar. Every character that is not space or a bracket must have a scope,
// and outside of comments and strings every word of the language must have the scope of one.
// Usage: node tokenize.js FILE.tsr...   (from the project's folder, NODE_PATH naming vscode-textmate)
'use strict';
const fs = require('fs');
const path = require('path');
const oniguruma = require('vscode-oniguruma');
const textmate = require('vscode-textmate');

const grammarPath = 'editors/vscode/syntaxes/tessera.tmLanguage.json';
const lexer = fs.readFileSync('grammar/TesseraLexer.g4', 'utf8');
const words = new Set([...lexer.matchAll(/^[A-Z_]+: '([a-z]+)';/gm)].map((match) => match[1]));
const wordScope = /^(keyword|storage\.modifier|constant\.language)/;
const opaqueScope = /^(comment|string|meta\.embedded)/;

async function loadGrammar() {
  const wasm = path.join(path.dirname(require.resolve('vscode-oniguruma')), 'onig.wasm');
  await oniguruma.loadWASM(fs.readFileSync(wasm).buffer);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) =>
      scope === 'source.tessera' ? textmate.parseRawGrammar(fs.readFileSync(grammarPath, 'utf8'), grammarPath) : null,
  });
  return registry.loadGrammar('source.tessera');
}

// The complaints about one token of one line.
function checkToken(text, scopes) {
  const own = scopes.filter((scope) => scope !== 'source.tessera');
  if (own.some((scope) => opaqueScope.test(scope))) return null;
  if (own.length === 0) return /^[\s{}\[\]()]*$/.test(text) ? null : `'${text}' has no scope`;
  if (words.has(text) && !own.some((scope) => wordScope.test(scope))) return `'${text}' is only ${own.join(' ')}`;
  return null;
}

async function main(files) {
  const grammar = await loadGrammar();
  let tokens = 0;
  const complaints = [];
  for (const file of files) {
    let state = textmate.INITIAL;
    fs.readFileSync(file, 'utf8').split('\n').forEach((line, number) => {
      const result = grammar.tokenizeLine(line, state);
      state = result.ruleStack;
      for (const token of result.tokens) {
        tokens += 1;
        const complaint = checkToken(line.slice(token.startIndex, token.endIndex), token.scopes);
        if (complaint) complaints.push(`${file}:${number + 1}:${token.startIndex + 1}: ${complaint}`);
      }
    });
  }
  complaints.forEach((complaint) => console.log(complaint));
  console.log(`${files.length} programs, ${tokens} tokens, ${complaints.length} complaints`);
  return files.length > 0 && complaints.length === 0 ? 0 : 1;
}

main(process.argv.slice(2)).then((code) => process.exit(code));
