import { Link } from 'react-router-dom'
import type { AuditAction, AuditEntry } from '#shared/admin/admin.ts'
import { messages } from '#shared/messages.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { links } from '#client/lib/links.ts'
import { auditQuery } from './admin.queries.ts'
import { formatMoney } from './figures.tsx'
import { NewestFirst } from './lists.tsx'
import styles from './lists.module.css'

const ACTIONS: Record<AuditAction, string> = {
  see_memorial: 'Looked at a memorial that is not public',
  edit_memorial: 'Edited a memorial',
  change_privacy: 'Changed who can see a memorial',
  edit_funeral: 'Changed funeral details',
  edit_location: 'Changed the location of a grave',
  make_qr_code: 'Made a QR code',
  edit_media: 'Changed a caption',
  delete_media: 'Removed a photo or recording',
  delete_comment: 'Removed a message',
  restore_removed: 'Restored a photo, recording or message',
  delete_removed: 'Deleted a photo, recording or message for good',
  show_held: 'Showed new contributions',
  decline_held: 'Declined new contributions',
  undo_held: 'Undid a decision about contributions',
  block_contributor: 'Blocked a person',
  unblock_contributor: 'Unblocked a person',
  keep_reported: 'Kept what was reported',
  thank_message: 'Thanked somebody for a message, or took it back',
  remove_added: 'Removed things together',
  restore_added: 'Restored things removed together',
  delete_added: 'Deleted things removed together for good',
  see_invite_link: 'Opened an invitation link',
  rotate_invite_link: 'Replaced an invitation link',
  add_invitation: 'Made another invitation link',
  end_invitation: 'Ended an invitation link',
  let_in: 'Let in somebody who asked',
  not_let_in: 'Didn’t let in somebody who asked',
  remove_memorial: 'Removed a memorial',
  restore_memorial: 'Restored a memorial',
  hold_succession: 'Held the claim of a memorial',
  release_succession: 'Released the claim of a memorial',
  suspend_account: 'Suspended an account',
  reinstate_account: 'Reinstated an account',
  refund_payment: 'Refunded a payment',
  answer_message: 'Marked a message as answered or waiting',
  generate_tokens: 'Generated invite tokens',
  add_word: 'Added a word to the lists',
  remove_word: 'Removed a word from the lists',
  resend_mail: 'Sent a mail again',
  resend_job: 'Retried a job',
  grant_role: 'Made an account an admin',
  reset_second_factor: 'Removed an admin’s passkeys and authenticator app',
  revoke_role: 'Took the admin role from an account',
  purge: 'Deleted permanently',
}

export function AuditLog() {
  return (
    <NewestFirst
      id="audit-log"
      title="Audit log"
      empty={messages.admin.emptyAudit}
      more="Load more entries"
      query={auditQuery}
      itemsOf={(page) => page.entries}
    >
      {(entry) => <Entry entry={entry} />}
    </NewestFirst>
  )
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { action, actorEmail, targetKind, targetId, targetEmail, memorialId, memorialName } = entry
  const facts = Object.entries(entry.detail ?? {}).map(([name, value]) => `${name}: ${factText(name, value)}`)
  return (
    <>
      <p className={styles.head}>{ACTIONS[action] ?? action}</p>
      <p className={`small-muted ${styles.meta}`}>
        {actorEmail ?? 'The system'} · {formatDateTime(entry.createdAt)}
        {memorialId !== null && (
          <>
            {' · '}
            {memorialName === null ? (
              'a deleted memorial'
            ) : (
              <Link to={links.memorial(memorialId)}>{memorialName}</Link>
            )}{' '}
            <small>{memorialId}</small>
          </>
        )}
        {targetKind !== 'memorial' && (
          <>
            {' · '}
            {targetEmail ?? targetKind} <small>{targetId}</small>
          </>
        )}
        {facts.length > 0 && ` · ${facts.join(', ')}`}
      </p>
    </>
  )
}

/** An amount is in cents of the only currency, US dollars. */
function factText(name: string, value: NonNullable<AuditEntry['detail']>[string]): string {
  return name === 'amount' && typeof value === 'number' ? formatMoney(value, 'usd') : String(value)
}
