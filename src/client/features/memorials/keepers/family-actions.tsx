import { useInfiniteQuery } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { FamilyAction, FamilyActionEntry } from '#shared/admin/family-actions.ts'
import { call, pathOf } from '#client/lib/call.ts'
import { cursorQuery } from '#client/lib/query-client.ts'
import { Disclosures } from '#client/ui/disclosure.tsx'
import { LateDisclosure } from '#client/ui/late-disclosure.tsx'
import { LoadError } from '#client/ui/notice.tsx'
import { ActionList } from '../action-list.tsx'

/** What the service or an admin did: whole sentences. */
const OURS = {
  ask_owner: 'We asked the owner whether they’re there',
  open_succession: 'The owner didn’t answer, so the people whom they named may take over the memorial',
  hold_succession: 'We stopped the taking over of the memorial, to look into it',
  release_succession: 'We let the taking over of the memorial go on',
} satisfies Partial<Record<FamilyAction, string>>

/** What somebody did, to follow their name. */
const DID: Record<Exclude<FamilyAction, keyof typeof OURS>, string> = {
  edit_memorial: 'changed the texts or the settings',
  change_privacy: 'changed who can see the memorial',
  edit_funeral: 'changed the gatherings',
  edit_location: 'changed the burial place',
  edit_media: 'changed the words under a photo or recording',
  delete_media: 'removed a photo or recording',
  delete_comment: 'removed a message',
  restore_removed: 'restored a photo, recording or message',
  delete_removed: 'deleted a photo, recording or message for good',
  show_held: 'let things appear that were waiting',
  decline_held: 'declined things that were waiting',
  undo_held: 'put things back to wait',
  block_contributor: 'blocked somebody who had added things',
  unblock_contributor: 'unblocked somebody who had added things',
  keep_reported: 'kept something that people had reported',
  thank_message: 'thanked for a message, or took that back',
  remove_added: 'removed everything that one person added, or that came by a link',
  restore_added: 'restored what had been removed together',
  delete_added: 'deleted what had been removed together for good',
  rotate_invite_link: 'replaced the invitation link',
  add_invitation: 'made another invitation link',
  end_invitation: 'ended an invitation link',
  let_in: 'let in somebody who asked',
  not_let_in: 'didn’t let in somebody who asked',
  restore_memorial: 'brought the memorial back',
  add_media: 'added a photo, video or recording',
  add_message: 'wrote a message',
  invite_keeper: 'invited somebody to look after the memorial',
  revoke_keeper_invite: 'took back an invitation to look after the memorial',
  become_keeper: 'began to look after the memorial',
  change_keeper: 'changed what somebody may do',
  remove_keeper: 'removed somebody who looked after the memorial',
  stop_keeping: 'stopped looking after the memorial',
  offer_handover: 'offered to hand over the memorial',
  withdraw_handover: 'took back the offer to hand over the memorial',
  decline_handover: 'said no to taking over the memorial',
  accept_handover: 'took over the memorial',
  take_back_handover: 'took the memorial back',
  leave_to_keeper: 'deleted their account, and left the memorial to a keeper',
  name_successor: 'named somebody who may ask for the memorial',
  remove_successor: 'removed somebody who could ask for the memorial',
  change_succession: 'changed when we ask whether they’re there',
  ask_for_memorial: 'asked for the memorial',
  owner_is_there: 'answered that they’re there',
  claim_memorial: 'took over the memorial as its successor',
}

function isOurs(action: FamilyAction): action is keyof typeof OURS {
  return Object.hasOwn(OURS, action)
}

function sentence({ name, action, times }: FamilyActionEntry): string {
  const often = times === 1 ? '' : ` (${times} times)`
  const did = isOurs(action) ? OURS[action] : `${name ?? 'Somebody whose account is deleted'} ${DID[action]}`
  return did + often
}

/** What each of those did who look after the memorial. */
export function FamilyActions({ memorialId }: { memorialId: string }) {
  return (
    <Disclosures>
      <LateDisclosure title="What each did">
        <Actions memorialId={memorialId} />
      </LateDisclosure>
    </Disclosures>
  )
}

function Actions({ memorialId }: { memorialId: string }) {
  const params = { id: memorialId }
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    cursorQuery(pathOf(api.listFamilyActions, { params }), (query) =>
      call(api.listFamilyActions, { params, query }),
    ),
  )
  if (error)
    return <LoadError title="The list could not be loaded" error={error} onRetry={() => void refetch()} />
  if (!data) return null
  const entries = data.pages.flatMap((page) => page.entries)
  if (entries.length === 0) return <p className="small-muted">Nothing in the last twelve months.</p>
  return (
    <>
      <p className="small-muted">
        In the last twelve months. Everybody who looks after the memorial sees this.
      </p>
      <ActionList
        actions={entries.map((entry) => ({ id: entry.id, text: sentence(entry), at: entry.at }))}
        onOlder={hasNextPage ? () => void fetchNextPage() : null}
        isLoading={isFetchingNextPage}
      />
    </>
  )
}
