import { useState } from 'react'
import type { ListedLink } from '#shared/invites/contributors.ts'
import { DAY_MS, HOUR_MS } from '#shared/limits.ts'
import type { RemoveAddedInput } from '#shared/removal/removed.ts'
import { formatDate, formatDateTime } from '#client/lib/dates.ts'
import { Button } from '#client/ui/button.tsx'
import { SelectField } from '#client/ui/forms/field.tsx'
import styles from './remove-since.module.css'

/** What an editor is asked about before it is removed. */
export type Asked = { title: string; text: string; isFromVisitors: boolean; what: RemoveAddedInput }

const PERIODS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS, ever: null }
type Period = keyof typeof PERIODS
const PERIOD_LABELS: Record<Period, string> = {
  hour: 'In the last hour',
  day: 'In the last 24 hours',
  week: 'In the last 7 days',
  month: 'In the last 30 days',
  ever: 'At any time',
}

const OF_LINK = {
  title: 'Remove everything that came by this link?',
  text: 'This takes everything off the memorial that anyone added by this link',
  button: 'Remove what came by this link',
}
const OF_VISITORS = {
  title: 'Remove everything from visitors of the public page?',
  text: 'This takes everything off the memorial that visitors left on the public page',
  button: 'Remove what visitors left',
}

/** Asks to remove everything that came by one link, or from visitors, in a period. */
export function RemoveSince({ links, onAsk }: { links: ListedLink[]; onAsk: (asked: Asked) => void }) {
  const [period, setPeriod] = useState<Period>('day')
  const [linkId, setLinkId] = useState<string | null>(null)
  const link = links.find(({ id }) => id === linkId) ?? links[0]
  if (!link) return null
  const { isVisitors = false } = link
  const words = isVisitors ? OF_VISITORS : OF_LINK
  const hasVisitors = links.some((each) => each.isVisitors)
  function ask() {
    const length = PERIODS[period]
    const since = new Date(length === null ? 0 : Date.now() - length).toISOString()
    onAsk({
      title: words.title,
      text: length === null ? `${words.text}.` : `${words.text} since ${formatDateTime(since)}.`,
      isFromVisitors: isVisitors,
      what: { since, linkId: link?.id },
    })
  }
  return (
    <div className={styles.since}>
      <h3>Remove what came by an invitation link{hasVisitors && ' or from visitors'}</h3>
      {(links.length > 1 || hasVisitors) && (
        <SelectField
          label={hasVisitors ? 'Came by' : 'Invitation link'}
          value={link.id}
          onChange={(event) => setLinkId(event.target.value)}
        >
          {links.map((each) => (
            <option key={each.id} value={each.id}>
              {nameOf(each, hasVisitors)}
            </option>
          ))}
        </SelectField>
      )}
      <SelectField
        label="Added"
        value={period}
        hint={link.revokedAt === null ? undefined : 'Nobody can add by this link any longer.'}
        onChange={(event) => setPeriod(event.target.value as Period)}
      >
        {Object.entries(PERIOD_LABELS).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <Button onClick={ask}>{words.button}</Button>
    </div>
  )
}

/** `isAmongOthers`: not every choice is an invitation link, so this one says that it is. */
function nameOf(
  { isVisitors, name: given, assignedAt, revokedAt }: ListedLink,
  isAmongOthers: boolean,
): string {
  if (isVisitors) return 'Visitors of the public page'
  if (given !== undefined) return revokedAt === null ? given : `${given}, ended ${formatDateTime(revokedAt)}`
  const name =
    revokedAt === null ? `Current, since ${formatDate(assignedAt)}` : `Ended ${formatDateTime(revokedAt)}`
  return isAmongOthers ? `Invitation link: ${name.charAt(0).toLowerCase()}${name.slice(1)}` : name
}
