import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, drawSelection, highlightActiveLine, placeholder } from "@codemirror/view";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, syntaxHighlighting, bracketMatching } from "@codemirror/language";
import { sql, StandardSQL } from "@codemirror/lang-sql";
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { setDiagnostics } from "@codemirror/lint";
import { tags } from "@lezer/highlight";

const style = HighlightStyle.define([
  { tag: tags.keyword, class: "tok-keyword" },
  { tag: tags.string, class: "tok-string" },
  { tag: [tags.number, tags.bool, tags.null], class: "tok-number" },
  { tag: tags.comment, class: "tok-comment" },
  { tag: [tags.standard(tags.name), tags.typeName], class: "tok-name" },
]);

// An editor in place of a textarea: the textarea keeps the text, so that forms send it.
function mount(textarea, { nonce, schema, onChange, onRun }) {
  const view = new EditorView({
    parent: textarea.parentNode,
    state: EditorState.create({
      doc: textarea.value,
      extensions: [
        EditorView.cspNonce.of(nonce),
        lineNumbers(), history(), drawSelection(), bracketMatching(), highlightActiveLine(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": textarea.getAttribute("aria-label") || "Question in SQL" }),
        placeholder("SELECT …"),
        sql({ dialect: StandardSQL, schema, upperCaseKeywords: true }),
        // Enter ends a line, unless a proposal was chosen by an arrow: `event` is not made `events`.
        syntaxHighlighting(style), autocompletion({ selectOnOpen: false }),
        keymap.of([
          { key: "Mod-Enter", run: () => { onRun(); return true; } },
          ...completionKeymap, ...historyKeymap, ...defaultKeymap,
        ]),
        // Left to the browser, a text typed over a coloured one gets a style attribute, which the page's policy refuses.
        EditorView.domEventHandlers({
          beforeinput: (event, view) => {
            if (event.inputType !== "insertText" || event.data === null || view.state.selection.main.empty || view.composing) return false;
            view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
            event.preventDefault();
            return true;
          },
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) { textarea.value = update.state.doc.toString(); onChange(); }
        }),
      ],
    }),
  });
  return {
    focus: () => view.focus(),
    text: () => view.state.doc.toString(),
    replace: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    insert: (text) => { view.dispatch(view.state.replaceSelection(text)); view.focus(); },
    underline: (from, to, message) => view.dispatch(setDiagnostics(view.state,
      to > from && to <= view.state.doc.length ? [{ from, to, severity: "error", message }] : [])),
  };
}
window.TacitEditor = { mount };
