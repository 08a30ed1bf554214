import { addressOf } from '#shared/funeral/directions.ts'
import { formatCalendarDate, formatDuration, formatService } from '#shared/dates.ts'
import { nameOf } from '#shared/funeral/gatherings.ts'
import { MEDIA_NAME, MEDIA_NOUN } from '#shared/media/media-types.ts'
import type { ReplyAnswer } from '#shared/replies/reply-answers.ts'
import { formatBytes } from '#shared/messages.ts'
import {
  type ArchiveMediaItem,
  type ArchiveService,
  archiveAddress,
} from '#worker/features/export/archive.ts'
import { escapeLines } from '#worker/platform/escape.ts'
import type { Snapshot } from '#worker/features/export/snapshot.ts'
import { toFuneralEvent } from '#worker/features/funeral/funeral.ts'
import type { MediaRow } from '#worker/features/media/media.ts'
import { STORY_ELEMENTS, type StoryNode } from '#shared/memorials/story.ts'

/** A square in the gallery that links to the whole photo. */
export function photoItem({ fileOf }: Snapshot, { row, file }: ArchiveMediaItem): string {
  const name = fileOf(file)
  const photo = name === null ? missingNotice(row) : photoLink(row, name)
  return `<li>${photo}${credit(row)}</li>\n`
}

function photoLink(row: MediaRow, name: string): string {
  const address = escapeLines(archiveAddress(name))
  // No width and height: they would reserve the shape of an upright photo, but the style shows a square.
  return `<a href="${address}"><img src="${address}" alt="${escapeLines(altOf(row))}" loading="lazy" decoding="async"></a>`
}

/** A video or recording with its player. */
export function recordingItem({ fileOf }: Snapshot, { row, file }: ArchiveMediaItem): string {
  const name = fileOf(file)
  const length = row.durationSec === null ? '' : `${formatDuration(row.durationSec)} · `
  // Without an alternative text the caption is the title, so it isn't repeated below.
  const creditRow = row.alt === null ? { ...row, caption: null } : row
  const title = `<p class="name">${escapeLines(altOf(row))} <span class="facts">· ${length}${formatBytes(file.size)}</span></p>`
  return `<div class="item">${title}${name === null ? missingNotice(row) : player(row, name)}${credit(creditRow)}</div>\n`
}

function player(row: MediaRow, name: string): string {
  const address = escapeLines(archiveAddress(name))
  const save = `<a href="${address}">Open the file</a>`
  const tag = row.type === 'VIDEO' ? 'video' : 'audio'
  const shape =
    tag === 'video' && row.width && row.height ? ` width="${row.width}" height="${row.height}"` : ''
  return `<${tag} controls preload="metadata"${shape} src="${address}" aria-label="${escapeLines(altOf(row))}">${save}</${tag}>`
}

/** One service: when and where, who said they come, and its programme. */
export function serviceCard({ fileOf }: Snapshot, { row, programme, replies }: ArchiveService): string {
  const event = toFuneralEvent(row)
  const address = addressOf(event)
  const file = programme && fileOf(programme)
  const line = (text: string | null, style = '') =>
    text ? `<p${style === '' ? '' : ` class="${style}"`} dir="auto">${escapeLines(text)}</p>` : ''
  return [
    `<article class="card"><h3 dir="auto">${escapeLines(nameOf(event))}</h3>`,
    `<p><time datetime="${event.dateTime}">${escapeLines(formatService(event.dateTime, event.timeZone))}</time></p>`,
    line(event.venueName, 'strong'),
    line(address),
    line(event.notes, 'lines'),
    line(namesText('Coming', replies, 'COMING')),
    line(namesText('From afar', replies, 'AFAR')),
    programme && file === null ? '<p>The programme was not found. See missing.txt.</p>' : '',
    programme && file
      ? `<p><a href="${escapeLines(archiveAddress(file))}">Programme (PDF, ${formatBytes(programme.size)})</a></p>`
      : '',
    '</article>\n',
  ].join('')
}

/** `Coming: Farai (3), Tariro`, as they replied; empty if nobody did. */
function namesText(label: string, replies: ArchiveService['replies'], wanted: ReplyAnswer): string {
  const names = replies
    .filter(({ answer }) => answer === wanted)
    .map(({ name, people }) => (wanted === 'COMING' && people > 1 ? `${name} (${people})` : name))
  return names.length === 0 ? '' : `${label}: ${names.join(', ')}`
}

function credit(row: MediaRow): string {
  const caption = row.caption === null ? '' : `<bdi class="caption">${escapeLines(row.caption)}</bdi>`
  const day = formatCalendarDate(new Date(row.createdAt).toISOString().slice(0, 10))
  return `<p class="credit">${caption}Added by <bdi>${escapeLines(addedBy(row))}</bdi>, ${day}</p>`
}

function missingNotice(row: MediaRow): string {
  return `<p class="gone">This ${MEDIA_NOUN[row.type]} was not found. See missing.txt.</p>`
}

function addedBy({ contributorName }: MediaRow): string {
  return contributorName ?? 'the family'
}

function altOf(row: MediaRow): string {
  return row.alt ?? row.caption ?? `${MEDIA_NAME[row.type]} added by ${addedBy(row)}`
}

/** A second check, so that nothing else reaches the page whatever is stored. */
const ELEMENTS: ReadonlySet<string> = new Set(STORY_ELEMENTS)
const LINK_ADDRESS = /^(?:https?:\/\/|mailto:)/iu
/** Elements that start a new line in plain text. */
const BLOCKS: ReadonlySet<string> = new Set(['p', 'h2', 'h3', 'blockquote', 'ul', 'ol', 'li'])

/** Renders a story as HTML: text, and elements of the allow-list with only a link's `href`, as on the memorial page. */
export function storyHtml(nodes: readonly StoryNode[]): string {
  return nodes.map(nodeHtml).join('')
}

function nodeHtml(node: StoryNode): string {
  if (typeof node === 'string') return escapeLines(node)
  const { tag, href, children } = node
  if (!ELEMENTS.has(tag)) return ''
  if (tag === 'br') return '<br>'
  const isLink = tag === 'a' && href !== null && LINK_ADDRESS.test(href)
  const attributes = isLink ? ` href="${escapeLines(href)}" rel="noopener nofollow ugc"` : ''
  return `<${tag}${attributes}>${storyHtml(children)}</${tag}>`
}

/** Renders a story as plain text, one line per block. */
export function storyText(nodes: readonly StoryNode[]): string {
  return nodes
    .map(nodeText)
    .join('')
    .replaceAll(/[^\S\n]+\n/gu, '\n')
    .replaceAll(/\n{3,}/gu, '\n\n')
    .trim()
}

function nodeText(node: StoryNode): string {
  if (typeof node === 'string') return node
  if (node.tag === 'br') return '\n'
  const inner = node.children.map(nodeText).join('')
  if (!BLOCKS.has(node.tag)) return inner
  return node.tag === 'li' ? `- ${inner.trim()}\n` : `${inner.trim()}\n\n`
}
