import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import type { ListedContributor, ListedLink } from '#shared/contributors.ts'
import { DAY_MS, HOUR_MS } from '#shared/limits.ts'
import type { Memorial } from '#shared/memorials.ts'
import { countsText, messages } from '#shared/messages.ts'
import type { RemoveAddedInput } from '#shared/removed.ts'
import { contributorsQuery, removeAdded } from '#client/lib/bulk-removal.ts'
import { call } from '#client/lib/call.ts'
import { formatDate, formatDateTime } from '#client/lib/dates.ts'
import { refreshMemorial } from '#client/lib/refresh.ts'
import { showFailure, showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { Disclosure, Disclosures } from '#client/ui/disclosure.tsx'
import { Checkbox, SelectField } from '#client/ui/field.tsx'
import { LoadError } from '#client/ui/notice.tsx'
import styles from './contributors.module.css'
import rows from './item-list.module.css'

/** For the owner: who added what by the invitation, how to remove it together, and whether new things wait. Loads when opened. */
export function Contributors({ memorial }: { memorial: Memorial }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className={rows.section}>
      <Disclosures>
        <Disclosure title="Who added what" onToggle={(event) => setOpen(event.currentTarget.open)}>
          {isOpen && (
            <>
              <HoldNew memorial={memorial} />
              <ContributorList memorialId={memorial.id} />
            </>
          )}
        </Disclosure>
      </Disclosures>
    </div>
  )
}

/** Whether what contributors add waits for the owner. Saved as soon as it changes. */
function HoldNew({ memorial }: { memorial: Memorial }) {
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: (holdNew: boolean) =>
      call(api.updateMemorial, { params: { id: memorial.id }, body: { holdNew } }),
    onSuccess: () => showToast({ title: messages.memorial.updatedTitle }),
    onError: (error) =>
      showFailure(messages.memorial.updateFailedTitle, error, messages.memorial.updateFailedText),
    // Until the memorial is reloaded, the box shows what was pressed.
    onSettled: () => refreshMemorial(client, memorial.id),
  })
  return (
    <Checkbox
      label="Hide new ones until I look"
      hint="Only you and the person who added something can see it until you show it."
      isChecked={save.isPending ? save.variables : memorial.holdNew}
      isBusy={save.isPending}
      onChange={(holdNew) => {
        if (!save.isPending) save.mutate(holdNew)
      }}
    />
  )
}

/** What the owner is asked about before it is removed. */
type Asked = { title: string; text: string; what: RemoveAddedInput }

function ContributorList({ memorialId }: { memorialId: string }) {
  const client = useQueryClient()
  const list = useInfiniteQuery(contributorsQuery(memorialId))
  const [asked, setAsked] = useState<Asked | null>(null)
  const remove = useMutation({
    mutationFn: (what: RemoveAddedInput) => removeAdded(client, memorialId, what),
    onSettled: () => setAsked(null),
  })
  if (list.isError)
    return (
      <LoadError
        title="The list could not be loaded"
        error={list.error}
        onRetry={() => void list.refetch()}
      />
    )
  if (!list.data) return null
  const people = list.data.pages.flatMap((page) => page.contributors)
  return (
    <>
      {people.length === 0 && !list.hasNextPage && <p>Nobody has added anything with the invitation yet.</p>}
      <ul className={rows.list}>
        {people.map((person) => (
          <li key={person.id}>
            <div className={rows.facts}>
              <p>
                <bdi>{person.displayName}</bdi>
              </p>
              <p className="small-muted">
                Joined on {formatDateTime(person.joinedAt)} · {countsText(person.added)}
              </p>
            </div>
            <Button
              aria-label={`Remove everything by ${person.displayName}, joined on ${formatDateTime(person.joinedAt)}`}
              onClick={() => setAsked(askAbout(person))}
            >
              Remove everything
            </Button>
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
      {people.length > 0 && <RemoveSince links={list.data.pages[0]?.links ?? []} onAsk={setAsked} />}
      {asked && (
        <ConfirmDialog
          title={asked.title}
          confirmLabel="Remove everything"
          busy={remove.isPending}
          onConfirm={() => remove.mutate(asked.what)}
          onClose={() => setAsked(null)}
        >
          <p>{asked.text}</p>
          <p>You can restore it all together for 30 days.</p>
          <p className="small-muted">
            Anyone with the invitation can still add. To stop that, make a new link under “Share Memorial”.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

function askAbout({ id, displayName, joinedAt, added }: ListedContributor): Asked {
  return {
    title: `Remove everything by ${displayName}?`,
    text: `${displayName} joined on ${formatDateTime(joinedAt)}. This takes ${countsText(added)} off the memorial at once.`,
    what: { contributorId: id },
  }
}

const PERIODS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS, ever: null }
type Period = keyof typeof PERIODS
const PERIOD_LABELS: Record<Period, string> = {
  hour: 'In the last hour',
  day: 'In the last 24 hours',
  week: 'In the last 7 days',
  month: 'In the last 30 days',
  ever: 'At any time',
}

/** Asks to remove everything that came by one link in a period. */
function RemoveSince({ links, onAsk }: { links: ListedLink[]; onAsk: (asked: Asked) => void }) {
  const [period, setPeriod] = useState<Period>('day')
  const [linkId, setLinkId] = useState<string | null>(null)
  const link = links.find(({ id }) => id === linkId) ?? links[0]
  if (!link) return null
  const isOld = link.revokedAt !== null
  function ask() {
    const length = PERIODS[period]
    const since = new Date(length === null ? 0 : Date.now() - length).toISOString()
    onAsk({
      title: 'Remove everything that came by this link?',
      text:
        length === null
          ? 'This takes everything off the memorial that anyone added by this link.'
          : `This takes everything off the memorial that anyone added by this link since ${formatDateTime(since)}.`,
      what: { since, linkId: link?.id },
    })
  }
  return (
    <div className={styles.since}>
      <h3>Remove what came by an invitation link</h3>
      {links.length > 1 && (
        <SelectField
          label="Invitation link"
          value={link.id}
          onChange={(event) => setLinkId(event.target.value)}
        >
          {links.map(({ id, assignedAt, revokedAt }) => (
            <option key={id} value={id}>
              {revokedAt === null
                ? `Current, since ${formatDate(assignedAt)}`
                : `Ended ${formatDateTime(revokedAt)}`}
            </option>
          ))}
        </SelectField>
      )}
      <SelectField
        label="Added"
        value={period}
        hint={isOld ? 'Nobody can add by this link any longer.' : undefined}
        onChange={(event) => setPeriod(event.target.value as Period)}
      >
        {Object.entries(PERIOD_LABELS).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <Button onClick={ask}>Remove what came by this link</Button>
    </div>
  )
}
