import type { AuditAction, AuditTarget } from '#shared/admin.ts'
import { api } from '#shared/api.ts'
import type { Endpoint } from '#shared/endpoint.ts'
import { updatePrivacyInput, type Privacy } from '#shared/memorials.ts'
import type { GuardInput } from '#worker/http/route.ts'

type Deed = {
  action: AuditAction
  targetKind: AuditTarget
  targetId: string
  detail?: { before: string; after: string }
}

/** The calls by which an admin does what is otherwise the owner's, and what the audit log calls each. */
const DEEDS = new Map<Endpoint, readonly [AuditAction, AuditTarget]>([
  [api.updateMemorial, ['edit_memorial', 'memorial']],
  [api.updatePrivacy, ['change_privacy', 'memorial']],
  [api.restoreMemorial, ['restore_memorial', 'memorial']],
  [api.saveFuneral, ['edit_funeral', 'memorial']],
  [api.addFuneralEvent, ['edit_funeral', 'memorial']],
  [api.updateFuneralEvent, ['edit_funeral', 'memorial']],
  [api.deleteFuneralEvent, ['edit_funeral', 'memorial']],
  [api.uploadProgramme, ['edit_funeral', 'memorial']],
  [api.saveLocation, ['edit_location', 'memorial']],
  [api.locationQr, ['make_qr_code', 'memorial']],
  [api.updateMedia, ['edit_media', 'media']],
  [api.uploadPoster, ['edit_media', 'media']],
  [api.deleteMedia, ['delete_media', 'media']],
  [api.inviteLink, ['see_invite_link', 'memorial']],
  [api.rotateInviteLink, ['rotate_invite_link', 'memorial']],
])

/**
 * What this call does to a memorial, in the audit log's words: on the medium where it is about one, with before and
 * after where that is small (privacy). Throws for a call that has no word: none goes by without one.
 */
export function deedOf(
  { endpoint, params, rawBody }: GuardInput,
  memorial: { id: string; privacy: Privacy },
): Deed {
  const known = DEEDS.get(endpoint)
  if (!known) throw new Error(`the audit log has no word for ${endpoint.method} ${endpoint.path}`)
  const [action, targetKind] = known
  const targetId = targetKind === 'memorial' ? memorial.id : (params['id'] ?? '')
  const asked = action === 'change_privacy' ? updatePrivacyInput.safeParse(rawBody) : null
  return asked?.success
    ? { action, targetKind, targetId, detail: { before: memorial.privacy, after: asked.data.privacy } }
    : { action, targetKind, targetId }
}
