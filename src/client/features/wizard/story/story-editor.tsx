import { baseKeymap, chainCommands, exitCode, toggleMark } from 'prosemirror-commands'
import { history, redo, undo } from 'prosemirror-history'
import { inputRules, smartQuotes, wrappingInputRule } from 'prosemirror-inputrules'
import { keymap } from 'prosemirror-keymap'
import { liftListItem, sinkListItem, splitListItem } from 'prosemirror-schema-list'
import { EditorState, TextSelection, type Command } from 'prosemirror-state'
import { EditorView } from 'prosemirror-view'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Button } from '#client/ui/button.tsx'
import { addPrompt } from './story-commands.ts'
import { tidyPasted } from './story-paste.ts'
import { htmlOf, storyOf, storySchema } from './story-schema.ts'
import { PROMPTS } from './story-text.ts'
import { StoryToolbar } from './story-toolbar.tsx'
import styles from './story-editor.module.css'

const { nodes, marks } = storySchema

const lineBreak: Command = (state, dispatch) => {
  dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break.create()).scrollIntoView())
  return true
}

const plugins = [
  history(),
  inputRules({
    rules: [
      ...smartQuotes,
      wrappingInputRule(/^\s*([-*])\s$/u, nodes.bullet_list),
      wrappingInputRule(/^1\.\s$/u, nodes.ordered_list),
      wrappingInputRule(/^\s*>\s$/u, nodes.blockquote),
    ],
  }),
  keymap({
    'Mod-z': undo,
    'Mod-y': redo,
    'Shift-Mod-z': redo,
    'Mod-b': toggleMark(marks.strong),
    'Mod-i': toggleMark(marks.em),
    'Mod-u': toggleMark(marks.underline),
    Enter: splitListItem(nodes.list_item),
    'Shift-Enter': chainCommands(exitCode, lineBreak),
    'Mod-]': sinkListItem(nodes.list_item),
    'Mod-[': liftListItem(nodes.list_item),
  }),
  keymap(baseKeymap),
]

/**
 * Takes over what is selected. The browser tells of a selection only a moment after it was made, and the editor ignores that once the
 * focus is elsewhere: a button that is pressed at once would act on the selection before.
 */
function readSelection(editor: EditorView): void {
  const { anchorNode, anchorOffset, focusNode, focusOffset } = document.getSelection() ?? {}
  if (!anchorNode || !focusNode || !editor.dom.contains(anchorNode) || !editor.dom.contains(focusNode)) return
  const { doc, selection, tr } = editor.state
  const [anchor, head] = [
    editor.posAtDOM(anchorNode, anchorOffset ?? 0),
    editor.posAtDOM(focusNode, focusOffset ?? 0),
  ]
  const read = TextSelection.between(doc.resolve(anchor), doc.resolve(head))
  if (!read.eq(selection)) editor.dispatch(tr.setSelection(read))
}

/**
 * The editor of the life story. It starts from `html` and reports every change; to replace the content, change its `key`.
 * Tab moves to the next control, as in any form.
 */
export default function StoryEditor({
  id,
  html,
  describedBy,
  onChange,
}: {
  id: string
  html: string
  describedBy: string
  onChange: (html: string) => void
}) {
  const [first] = useState(html)
  const [state, setState] = useState<EditorState | null>(null)
  const view = useRef<EditorView | null>(null)
  const report = useRef(onChange)
  useEffect(() => {
    report.current = onChange
  })

  const mount = useCallback(
    (element: HTMLDivElement) => {
      const editor = new EditorView(element, {
        state: EditorState.create({ doc: storyOf(first), plugins }),
        attributes: {
          id,
          role: 'textbox',
          'aria-multiline': 'true',
          'aria-label': 'Life story',
          'aria-describedby': describedBy,
          class: styles.page,
        },
        transformPastedHTML: tidyPasted,
        handleDOMEvents: { blur: readSelection },
        dispatchTransaction(transaction) {
          const next = editor.state.apply(transaction)
          editor.updateState(next)
          setState(next)
          if (transaction.docChanged) report.current(htmlOf(next.doc))
        },
      })
      view.current = editor
      setState(editor.state)
      return () => {
        view.current = null
        editor.destroy()
      }
    },
    [id, describedBy, first],
  )

  function run(command: Command) {
    const editor = view.current
    if (!editor) return
    command(editor.state, (transaction) => editor.dispatch(transaction), editor)
    editor.focus()
  }

  return (
    <>
      <div className={styles.frame}>
        <StoryToolbar state={state} run={run} />
        <div ref={mount} />
      </div>
      <details className={styles.prompts}>
        <summary>Questions that may help</summary>
        <ul className={styles.questions}>
          {PROMPTS.map((question) => (
            <li key={question}>
              <Button onClick={() => run(addPrompt(question))}>{question}</Button>
            </li>
          ))}
        </ul>
      </details>
    </>
  )
}
