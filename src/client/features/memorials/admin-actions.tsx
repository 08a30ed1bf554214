import { useInfiniteQuery } from '@tanstack/react-query'
import type { AuditAction } from '#shared/admin/admin.ts'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call, pathOf } from '#client/lib/call.ts'
import { cursorQuery } from '#client/lib/query-client.ts'
import { Card } from '#client/ui/page.tsx'
import { ActionList } from './action-list.tsx'
import styles from './action-list.module.css'

/** Sentences for the owner; the list never has audit actions that don't concern a memorial. */
const SENTENCES: Partial<Record<AuditAction, string>> = {
  see_memorial: 'We looked at this memorial.',
  edit_memorial: 'We changed the texts or the settings.',
  change_privacy: 'We changed who can see this memorial.',
  edit_funeral: 'We changed the funeral details.',
  edit_location: 'We changed the burial place.',
  make_qr_code: 'We made the QR code.',
  edit_media: 'We changed the words under a photo or recording.',
  delete_media: 'We removed a photo or recording.',
  delete_comment: 'We removed a message.',
  restore_removed: 'We restored a photo, recording or message.',
  delete_removed: 'We deleted a photo, recording or message for good.',
  show_held: 'We showed new photos, recordings or messages that were waiting.',
  decline_held: 'We declined new photos, recordings or messages that were waiting.',
  undo_held: 'We put photos, recordings or messages back to wait for you.',
  block_contributor: 'We blocked somebody who had added things.',
  unblock_contributor: 'We unblocked somebody who had added things.',
  keep_reported: 'We looked at something that people had reported, and kept it.',
  thank_message: 'We marked a message with your thanks, or took that back.',
  remove_added: 'We removed everything that one person added, or that came by an invitation link.',
  restore_added: 'We restored what had been removed together.',
  delete_added: 'We deleted what had been removed together for good.',
  see_invite_link: 'We looked up the invitation link.',
  rotate_invite_link: 'We replaced the invitation link. The old one has stopped working.',
  add_invitation: 'We made another invitation link.',
  end_invitation: 'We ended an invitation link.',
  let_in: 'We let in somebody who asked.',
  not_let_in: 'We didn’t let in somebody who asked.',
  remove_memorial: 'We removed this memorial from view.',
  restore_memorial: 'We brought this memorial back.',
  refund_payment: 'We refunded the payment for this memorial.',
}
const ANYTHING_ELSE = 'We did something else here. Please ask us what.'

/** What admins did in this memorial, for its owner. Renders nothing if there is nothing. */
export function AdminActions({ id, memorialId }: { id: string; memorialId: string }) {
  const params = { id: memorialId }
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    cursorQuery(pathOf(api.memorialAudit, { params }), (query) => call(api.memorialAudit, { params, query })),
  )
  const entries = data?.pages.flatMap((page) => page.entries) ?? []
  if (entries.length === 0) return null
  return (
    <Card id={id} title={messages.admin.teamTitle}>
      <p className={`small-muted ${styles.why}`}>{messages.admin.teamText}</p>
      <ActionList
        actions={entries.map(({ id: key, action, createdAt }) => ({
          id: key,
          text: SENTENCES[action] ?? ANYTHING_ELSE,
          at: createdAt,
        }))}
        onOlder={hasNextPage ? () => void fetchNextPage() : null}
        isLoading={isFetchingNextPage}
      />
    </Card>
  )
}
