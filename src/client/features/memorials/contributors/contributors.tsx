import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListedContributor } from '#shared/invites/contributors.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { countsText } from '#shared/messages.ts'
import type { RemoveAddedInput } from '#shared/removal/removed.ts'
import { contributorsQuery, removeAdded } from '#client/lib/bulk-removal.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { setBlocked } from '#client/lib/held.ts'
import { useMemorialField } from '#client/lib/memorial-field.ts'
import { refreshMemorial } from '#client/lib/refresh.ts'
import { Button } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { Disclosures } from '#client/ui/disclosure.tsx'
import { Checkbox } from '#client/ui/forms/field.tsx'
import { LateDisclosure } from '#client/ui/late-disclosure.tsx'
import { LoadError } from '#client/ui/notice.tsx'
import { BlockDialog } from '../removal/held-item.tsx'
import { LetInSettings } from './let-in-settings.tsx'
import { RemoveSince, type Asked } from './remove-since.tsx'
import { VisitorSettings } from './visitor-settings.tsx'
import { NameApart, ShowMore } from '../item-list.tsx'
import rows from '../item-list.module.css'

/** For editors: whether visitors may leave messages; who added what, how to remove it together, and whether new things wait. Loads when opened. */
export function Contributors({ memorial }: { memorial: Memorial }) {
  return (
    <div className={rows.section}>
      <Disclosures>
        <VisitorSettings memorial={memorial} />
        <LetInSettings memorial={memorial} />
        <LateDisclosure title="Who added what">
          <HoldNew memorial={memorial} />
          <ContributorList memorial={memorial} />
        </LateDisclosure>
      </Disclosures>
    </div>
  )
}

/** Whether what contributors add waits for an approver. Saved as soon as it changes. */
function HoldNew({ memorial: { id, holdNew } }: { memorial: Memorial }) {
  const client = useQueryClient()
  const field = useMemorialField(id, 'holdNew', holdNew, () => refreshMemorial(client, id))
  return (
    <Checkbox
      label="Hide new ones until I look"
      hint="Only you and the person who added something can see it until you show it."
      isChecked={field.value}
      isBusy={field.isBusy}
      onChange={field.save}
    />
  )
}

function ContributorList({ memorial }: { memorial: Memorial }) {
  const { id: memorialId } = memorial
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
  const more = asked && moreText(memorial, asked.isFromVisitors)
  const people = list.data.pages.flatMap((page) => page.contributors)
  return (
    <>
      {people.length === 0 && !list.hasNextPage && <p>Nobody has added anything with the invitation yet.</p>}
      <ul className={rows.list}>
        {people.map((person) => (
          <li key={person.id}>
            <div className={rows.facts}>
              {person.mayNameHurt ? (
                <NameApart>{person.displayName}</NameApart>
              ) : (
                <p>
                  <bdi>{person.displayName}</bdi>
                </p>
              )}
              <p className="small-muted">
                {person.isVisitor ? 'Visitor of the public page, first wrote' : 'Joined'} on{' '}
                {formatDateTime(person.joinedAt)} · {countsText(person.added)}
                {person.isBlocked && ' · Blocked'}
              </p>
            </div>
            <Button
              aria-label={`Remove everything by ${nameOf(person)}, ${joinedText(person)}`}
              onClick={() => setAsked(askAbout(person))}
            >
              Remove everything
            </Button>
            <BlockButton memorialId={memorialId} person={person} />
          </li>
        ))}
      </ul>
      <ShowMore list={list} />
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
          {more && <p className="small-muted">{more}</p>}
        </ConfirmDialog>
      )}
    </>
  )
}

/** Blocks a person after a question, or unblocks them. */
function BlockButton({ memorialId, person }: { memorialId: string; person: ListedContributor }) {
  const { id, isBlocked = false } = person
  const name = nameOf(person)
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const change = useMutation({
    mutationFn: () => setBlocked(client, memorialId, id, !isBlocked),
    onSettled: () => setAsking(false),
  })
  const label = isBlocked ? 'Unblock' : 'Block'
  return (
    <>
      <Button
        variant="quiet"
        aria-label={`${label} ${name}, ${joinedText(person)}`}
        isBusy={isBlocked && change.isPending}
        onClick={() => (isBlocked ? change.mutate() : setAsking(true))}
      >
        {label}
      </Button>
      {isAsking && (
        <BlockDialog
          person={name}
          isBusy={change.isPending}
          onConfirm={() => change.mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

function askAbout(person: ListedContributor): Asked {
  const { id, isVisitor = false, added } = person
  const who = person.mayNameHurt ? 'This person' : person.displayName
  return {
    title: `Remove everything by ${nameOf(person)}?`,
    text: `${who} ${joinedText(person)}. This takes ${countsText(added)} off the memorial at once.`,
    isFromVisitors: isVisitor,
    what: { contributorId: id },
  }
}

/** Nobody comes upon a name that may hurt. */
function nameOf({ mayNameHurt, displayName }: ListedContributor): string {
  return mayNameHurt ? 'this person' : displayName
}

function joinedText({ isVisitor, joinedAt }: ListedContributor): string {
  return `${isVisitor ? 'first wrote' : 'joined'} on ${formatDateTime(joinedAt)}`
}

/** How more can come after a removal, and what stops that; null if nothing more can. */
function moreText({ privacy, visitorMessages }: Memorial, isFromVisitors: boolean): string | null {
  const isOpen = privacy === 'LOCKED' && visitorMessages !== 'NOBODY'
  if (isOpen)
    return 'Anyone can still leave a message on the public page. To stop that, choose “Nobody” under “Messages from visitors”.'
  if (isFromVisitors || privacy === 'LOCKED') return null
  return 'Anyone with the invitation can still add. To stop that, make a new link under “Share Memorial”.'
}
