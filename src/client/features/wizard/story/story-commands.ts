import { lift, setBlockType, toggleMark, wrapIn } from 'prosemirror-commands'
import { undo } from 'prosemirror-history'
import type { MarkType, NodeType } from 'prosemirror-model'
import { liftListItem, wrapInList } from 'prosemirror-schema-list'
import { TextSelection, type Command, type EditorState } from 'prosemirror-state'
import { storySchema } from './story-schema.ts'

const { nodes, marks } = storySchema

function hasMark(state: EditorState, type: MarkType): boolean {
  const { from, to, empty, $from } = state.selection
  if (empty) return type.isInSet(state.storedMarks ?? $from.marks()) !== undefined
  return state.doc.rangeHasMark(from, to, type)
}

function isWithin(state: EditorState, type: NodeType): boolean {
  const { $from } = state.selection
  for (let depth = $from.depth; depth > 0; depth--) if ($from.node(depth).type === type) return true
  return false
}

const toggleHeading: Command = (state, dispatch) =>
  isWithin(state, nodes.heading)
    ? setBlockType(nodes.paragraph)(state, dispatch)
    : setBlockType(nodes.heading, { level: 2 })(state, dispatch)

const toggleQuote: Command = (state, dispatch) =>
  isWithin(state, nodes.blockquote) ? lift(state, dispatch) : wrapIn(nodes.blockquote)(state, dispatch)

const toggleList: Command = (state, dispatch) =>
  isWithin(state, nodes.list_item)
    ? liftListItem(nodes.list_item)(state, dispatch)
    : wrapInList(nodes.bullet_list)(state, dispatch)

export type StoryAction = {
  label: string
  run: Command
  /** Null if the action has no on and off state. */
  isOn: ((state: EditorState) => boolean) | null
}

/** The toolbar actions of the editor, in order. */
export const STORY_ACTIONS: readonly StoryAction[] = [
  { label: 'Bold', run: toggleMark(marks.strong), isOn: (state) => hasMark(state, marks.strong) },
  { label: 'Italic', run: toggleMark(marks.em), isOn: (state) => hasMark(state, marks.em) },
  { label: 'Heading', run: toggleHeading, isOn: (state) => isWithin(state, nodes.heading) },
  { label: 'Quote', run: toggleQuote, isOn: (state) => isWithin(state, nodes.blockquote) },
  { label: 'List', run: toggleList, isOn: (state) => isWithin(state, nodes.list_item) },
  { label: 'Undo', run: undo, isOn: null },
]

export const isInLink = (state: EditorState) => hasMark(state, marks.link)

/** Makes the selection a link; with an empty selection, inserts the address itself as a link. */
export function setLink(href: string): Command {
  return (state, dispatch) => {
    const { from, to, empty } = state.selection
    const mark = marks.link.create({ href })
    dispatch?.(
      empty
        ? state.tr.replaceSelectionWith(storySchema.text(href, [mark]), false)
        : state.tr.addMark(from, to, mark),
    )
    return true
  }
}

/** Removes the link at the cursor, or all links in the selection. */
export const removeLink: Command = (state, dispatch) => {
  const { $from, from, to, empty } = state.selection
  const start = empty ? from - ($from.nodeBefore?.nodeSize ?? 0) : from
  const end = empty ? from + ($from.nodeAfter?.nodeSize ?? 0) : to
  dispatch?.(state.tr.removeMark(start, end, marks.link))
  return true
}

/** Appends a question to the story as a small heading, with an empty paragraph for the answer. */
export function addPrompt(question: string): Command {
  return (state, dispatch) => {
    const heading = nodes.heading.create({ level: 3 }, storySchema.text(question))
    const { doc } = state
    const isEmpty = doc.childCount === 1 && doc.firstChild?.content.size === 0
    const tr = state.tr
    tr.replaceWith(isEmpty ? 0 : doc.content.size, doc.content.size, [heading, nodes.paragraph.create()])
    tr.setSelection(TextSelection.atEnd(tr.doc)).scrollIntoView()
    dispatch?.(tr)
    return true
  }
}
