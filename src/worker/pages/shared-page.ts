import type { LiveContributor } from '#worker/access/contributor-sessions.ts'
import type { OpenedMemorial } from '#worker/features/views/opened-memorial.ts'
import { escapeHtml, escapeJson } from '#worker/platform/escape.ts'

/** They stand for a contributor's id and name in a page that several contributors share: it shows nothing that they have added. */
type Marks = { id: string; name: string }
/** `dataTag`: begins the data of the page, which is in its end. */
type Page = { html: string; dataTag: string }
type SharedOpening = { opened: OpenedMemorial; fillIn: (page: Page) => string }

let marks: Marks | null = null

/** Nobody can guess them, so no text of a family holds one. Not made at start: a Worker has no randomness outside a request. */
function marksOfIsolate(): Marks {
  marks ??= { id: `con_${crypto.randomUUID()}`, name: `name-${crypto.randomUUID()}` }
  return marks
}

/**
 * The same opening without this contributor's name and id, so that others can share the rendered page, and a function that puts them
 * into its HTML. Null if the page holds more of theirs than that.
 */
export function withoutOwnParts(opened: OpenedMemorial): SharedOpening | null {
  const { user, own, version, access } = opened
  const { contributor } = access
  if (user !== null || own === null || contributor === null || version.includes(contributor.id)) return null
  const { id, name } = marksOfIsolate()
  // The page of a guest is another: it asks for a name.
  const marked = { id, displayName: contributor.isGuest ? contributor.displayName : name }
  return {
    opened: {
      ...opened,
      own: { ...own, contributorId: id, displayName: marked.displayName },
      access: { ...access, contributor: { ...contributor, ...marked } },
    },
    fillIn: (page) => fillIn(page, contributor),
  }
}

function fillIn({ html, dataTag }: Page, { id, displayName }: LiveContributor): string {
  const mark = marksOfIsolate()
  const at = html.lastIndexOf(dataTag)
  // Functions, because `$` means something in a replacement.
  const shown = html.slice(0, at).replaceAll(mark.name, () => escapeHtml(displayName))
  const data = html
    .slice(at)
    .replaceAll(mark.name, () => escapeJson(displayName).slice(1, -1))
    .replaceAll(mark.id, () => id)
  return shown + data
}
