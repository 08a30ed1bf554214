import { useState } from 'react'
import type { AdminMemorial } from '#shared/admin/admin.ts'
import { api } from '#shared/api.ts'
import { initialsOf } from '#shared/pages/page-titles.ts'
import { messages } from '#shared/messages.ts'
import { formatDate } from '#client/lib/dates.ts'
import { links, mediaPath } from '#client/lib/links.ts'
import { useMediaQuery } from '#client/lib/browser/window-hooks.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { useTabData } from './admin.queries.ts'
import { Badge, PaymentBadge, PrivacyBadge } from './badge.tsx'
import { MemorialActions } from './memorial-actions.tsx'
import { SearchedList, usePageAddress } from './searched-list.tsx'
import styles from './console.module.css'
import rows from './lists.module.css'

/** Every memorial in any state: search by name, owner or slug, remove and restore. */
export function MemorialsTab() {
  const address = usePageAddress()
  const { page, search } = address
  const { data, isFetching } = useTabData(api.adminMemorials, { query: { page, search } })
  const isWide = useMediaQuery('(min-width: 72rem)')
  const memorials = data?.memorials ?? []
  return (
    <SearchedList
      address={address}
      endpoint={api.adminMemorials}
      data={data}
      isBusy={isFetching}
      noun={['memorial', 'memorials']}
      placeholder="Search by name, owner, or email"
      rowHeight={isWide ? '2.5rem' : '11rem'}
    >
      {memorials.length === 0 && <p>{messages.admin.emptyMemorials}</p>}
      {memorials.length > 0 &&
        (isWide ? <MemorialTable memorials={memorials} /> : <MemorialCards memorials={memorials} />)}
    </SearchedList>
  )
}

/** Desktop layout: one table row per memorial. */
function MemorialTable({ memorials }: { memorials: AdminMemorial[] }) {
  return (
    <table className={rows.table}>
      <caption className="visually-hidden">Memorials</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">State</th>
          <th scope="col">Owner</th>
          <th scope="col">Created</th>
          <th scope="col">Locked</th>
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {memorials.map((memorial) => (
          <tr key={memorial.id}>
            <th scope="row">
              <div className={styles.who}>
                <Cover memorial={memorial} />
                {memorial.honoureeFullName}
              </div>
            </th>
            <td>
              <Badges memorial={memorial} />
            </td>
            <td>
              {memorial.owner.email} {memorial.owner.suspendedAt !== null && <Suspended />}
            </td>
            <td className={rows.date}>{formatDate(memorial.createdAt)}</td>
            <td className={rows.date}>{memorial.lockedAt ? formatDate(memorial.lockedAt) : '–'}</td>
            <td>
              <RowActions memorial={memorial} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Phone layout: one card per memorial. */
function MemorialCards({ memorials }: { memorials: AdminMemorial[] }) {
  return (
    <ul className={rows.cards} aria-label="Memorials">
      {memorials.map((memorial) => (
        <li key={memorial.id} className={`surface ${rows.card}`}>
          <div className={styles.who}>
            <Cover memorial={memorial} />
            <h3 className={styles.name}>{memorial.honoureeFullName}</h3>
          </div>
          <Badges memorial={memorial} />
          <dl className={rows.facts}>
            <dt>Owner</dt>
            <dd>{memorial.owner.email}</dd>
            {memorial.owner.suspendedAt !== null && (
              <dd className={rows.whole}>
                <Suspended />
              </dd>
            )}
            <dt>Created</dt>
            <dd>{formatDate(memorial.createdAt)}</dd>
            {memorial.lockedAt && (
              <>
                <dt>Locked</dt>
                <dd>{formatDate(memorial.lockedAt)}</dd>
              </>
            )}
          </dl>
          <RowActions memorial={memorial} />
        </li>
      ))}
    </ul>
  )
}

type Row = { memorial: AdminMemorial }

function Cover({ memorial }: Row) {
  // Only what everybody may see: the picture of another memorial would be a look at it, which is recorded and told its owner.
  const isPublic = memorial.privacy === 'LOCKED' && memorial.status === 'ACTIVE'
  const photoId = isPublic ? (memorial.coverMediaId ?? memorial.profileMediaId) : null
  const [hasFailed, setFailed] = useState(false)
  if (photoId && !hasFailed) {
    return (
      <img
        className={styles.cover}
        src={mediaPath(photoId, 320)}
        width={28}
        height={35}
        alt=""
        loading="lazy"
        onError={() => setFailed(true)}
      />
    )
  }
  return (
    <span className={`${styles.cover} ${styles.initials}`} aria-hidden="true">
      {initialsOf(memorial.honoureeFullName)}
    </span>
  )
}

function Badges({ memorial: { privacy, payment, status } }: Row) {
  return (
    <div className={`row ${rows.badges}`}>
      <PrivacyBadge privacy={privacy} />
      {payment && payment.status !== 'PENDING' && <PaymentBadge status={payment.status} />}
      {status === 'REMOVED' && <Badge tone="danger">Removed</Badge>}
      {status === 'DELETED' && <Badge tone="danger">Deleted by owner</Badge>}
    </div>
  )
}

const Suspended = () => <Badge tone="warning">Suspended</Badge>

function RowActions({ memorial }: Row) {
  const { id, honoureeFullName: name } = memorial
  return (
    <div className={`row ${rows.actions}`}>
      <ButtonLink className={rows.small} to={links.memorial(id)} aria-label={`View ${name}`}>
        View
      </ButtonLink>
      <ButtonLink
        className={rows.small}
        to={links.editMemorial(id)}
        reloadDocument
        aria-label={`Edit ${name}`}
      >
        Edit
      </ButtonLink>
      <MemorialActions memorial={memorial} />
    </div>
  )
}
