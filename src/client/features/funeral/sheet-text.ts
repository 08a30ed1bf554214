import { formatService } from '#shared/dates.ts'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { placeOf, untilText } from '#shared/funeral/gathering-words.ts'
import { isUpcoming, nameOf } from '#shared/funeral/gatherings.ts'

/** Of a sheet of A5, by the size of its letters: gatherings and lines that it takes, and characters of a line, a name and a place. Measured. Not in `limits.ts`, which every page loads. */
const SHEET_SIZES = {
  large: { upTo: 3, lines: 28, letters: 70, name: 120, place: 240 },
  medium: { upTo: 6, lines: 32, letters: 82, name: 80, place: 160 },
  small: { upTo: Infinity, lines: 46, letters: 100, name: 60, place: 110 },
} as const

type SheetItem = {
  id: string
  name: string
  when: string
  place: string
  /** Labels and what the family wrote, as much of it as there is room for. */
  lines: { label: string; text: string }[]
}
/** `size`: the more gatherings, the smaller the letters. `isCut`: not everything fits. */
type Sheet = { size: keyof typeof SHEET_SIZES; items: SheetItem[]; isCut: boolean }

/** What one sheet of A5 says: the gatherings that are ahead, else those that were. */
export function sheetOf(events: readonly FuneralEvent[], now: number): Sheet {
  const ahead = events.filter((event) => isUpcoming(event, now))
  const shown = ahead.length > 0 ? ahead : events
  const sizes = ['large', 'medium', 'small'] as const
  const size = sizes.find((one) => shown.length <= SHEET_SIZES[one].upTo) ?? 'small'
  const { letters, lines, name, place } = SHEET_SIZES[size]
  const all = shown.map((event) => {
    const until = untilText(event)
    return {
      id: event.id,
      name: cut(nameOf(event), name) + (event.isCancelled ? ' (cancelled)' : ''),
      when: formatService(event.dateTime, event.timeZone) + (until === null ? '' : `, ${until}`),
      place: cut(placeOf(event), place),
      lines: linesOf(event),
    }
  })
  const linesFor = (words: number) => Math.ceil(words / letters)
  const heads = all.map((item) => linesFor(item.name.length + item.when.length + item.place.length))
  let left = lines - heads.reduce((sum, head) => sum + head, 0)
  const rooms = new Map<string, number>()
  // Who needs little leaves the rest to others.
  const byNeed = all
    .map((item) => ({ id: item.id, need: linesFor(lengthOf(item.lines)) }))
    .toSorted((a, b) => a.need - b.need)
  for (const [index, { id, need }] of byNeed.entries()) {
    const room = Math.min(need, Math.max(0, Math.floor(left / (byNeed.length - index))))
    rooms.set(id, room * letters)
    left -= room
  }
  const items = all.map((item) => ({ ...item, lines: cutLines(item.lines, rooms.get(item.id) ?? 0) }))
  const isCut = all.some((item, index) => lengthOf(item.lines) > lengthOf(items[index]?.lines ?? []))
  return { size, items, isCut }
}

/** What people need on the road comes first. */
function linesOf({ wayThere, contact, dress, bring, notes }: FuneralEvent): SheetItem['lines'] {
  return [
    { label: 'Getting there: ', text: wayThere },
    { label: 'Questions: ', text: contact },
    { label: 'Dress: ', text: dress },
    { label: 'Please bring: ', text: bring },
    { label: '', text: notes },
  ].flatMap(({ label, text }) => (text === null ? [] : [{ label, text: text.replaceAll(/\s+/gu, ' ') }]))
}

function lengthOf(lines: SheetItem['lines']): number {
  return lines.reduce((sum, { label, text }) => sum + label.length + text.length + 1, 0)
}

function cutLines(lines: SheetItem['lines'], room: number): SheetItem['lines'] {
  let left = room
  return lines.flatMap(({ label, text }) => {
    const max = left - label.length - 1
    left = max - text.length
    // A few letters of a sentence help nobody.
    return max < Math.min(text.length, 30) ? [] : [{ label, text: cut(text, max) }]
  })
}

/** At most `max` characters, up to the end of a word. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/\s+\S*$/u, '')} …`
}
