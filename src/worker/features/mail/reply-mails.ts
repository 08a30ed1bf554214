import { directionsTo } from '#shared/funeral/directions.ts'
import type { GatheringFacts } from '#shared/funeral/funeral.ts'
import { formatService } from '#shared/dates.ts'
import { isNearby, untilText } from '#shared/funeral/gathering-words.ts'
import { renderMail, type RenderedMail } from '#worker/features/mail/render-mail.ts'

/**
 * Mails to people who said whether they come. They may reach a stranger, so they repeat nothing that a stranger typed; name and place are the family's
 * own, and their memorial is paid for.
 */
type Gathering = {
  /** Who died. */
  name: string
  /** What the family calls the gathering. */
  title: string
  facts: GatheringFacts
}

const KEEP =
  'Keep this email, and don’t pass it on: whoever has the link can change the reply or take it back.'
const NOT_YOU =
  'If you sent no reply, you can ignore this email, or take the reply back with the link. We use your address for nothing else.'

/** The confirmation of a reply. `url` leads to it. `isSorry`: whoever can't come needs no calendar file, and hears of no changes. */
export function replyMail({
  name,
  title,
  facts,
  url,
  isSorry,
}: Gathering & { url: string; isSorry: boolean }): RenderedMail {
  return renderMail({
    subject: 'Your reply reached the family',
    paragraphs: [
      `Someone (we hope it was you) replied to this gathering in memory of ${name}, and gave us this address:`,
      whenAndWhere(title, facts),
      ...(facts.isCancelled ? ['The family has cancelled it since.'] : []),
      ...(facts.isCancelled || isSorry
        ? []
        : [
            'The attached file puts it into your calendar. If time or place change, the family can write to you here.',
          ]),
    ],
    button: { label: 'Change or take back my reply', url },
    notes: [KEEP, NOT_YOU],
  })
}

/** What has changed since the recipient was told, and what counts now. `url` is null where nobody may open the memorial at the moment. */
export function gatheringChangedMail({
  name,
  title,
  before,
  facts,
  url,
}: Gathering & { before: GatheringFacts; url: string | null }): RenderedMail {
  const { isCancelled } = facts
  const isBack = before.isCancelled && !isCancelled
  return renderMail({
    subject: isCancelled ? 'A gathering is cancelled' : 'A gathering has changed',
    paragraphs: [
      `You replied to a gathering in memory of ${name}. ${isCancelled ? 'It is cancelled.' : isBack ? 'It was cancelled, and takes place after all.' : 'Its time or place has changed.'}`,
      ...(isCancelled
        ? [whenAndWhere(title, before)]
        : [
            ...(isBack ? [] : [`It was:\n${whenAndWhere(title, before)}`]),
            `It is now:\n${whenAndWhere(title, facts)}`,
            ...(facts.pin && !isNearby(before.pin, facts.pin)
              ? [
                  `The place on the map has changed, too:\n${directionsTo(`${facts.pin.latitude},${facts.pin.longitude}`)}`,
                ]
              : []),
          ]),
      isCancelled
        ? 'The attached file takes it out of your calendar.'
        : 'The attached file moves it in your calendar.',
    ],
    ...(url !== null && { button: { label: 'Change or take back my reply', url } }),
    notes: [
      ...(url === null ? [] : [KEEP]),
      'You get this email because this address was given with the reply. To get no more about it, take the reply back.',
    ],
  })
}

/** The gathering's name, its time where it is, and its place. */
function whenAndWhere(title: string, facts: GatheringFacts): string {
  const { dateTime, timeZone, place } = facts
  const lines = [title, formatService(dateTime, timeZone), untilText(facts), place]
  return lines.filter(Boolean).join('\n')
}
