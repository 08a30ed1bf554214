import type { Ctx } from '#worker/ctx.ts'
import type { media } from '#worker/features/media/media.table.ts'
import { oggToCaf, planCaf } from '#worker/media-formats/opus-in-caf.ts'
import { putStream, writeInTime } from '#worker/platform/objects.ts'

const CAF_TYPE = 'audio/x-caf'
/** Packets of one size take more room than packets of their own sizes: speech up to twice as much. */
const GROWTH_MAX = 4

type Voice = Pick<typeof media.$inferSelect, 'objectKey' | 'size'>

/**
 * The recording's copy in CAF, for Safari before 18.4, made when it is first asked for (docs/decisions). Null where there
 * can be none; an empty object remembers that. Two at once make the same.
 */
export async function ensureCaf(ctx: Ctx, { objectKey, size }: Voice): Promise<R2Object | null> {
  const { MEDIA } = ctx.env
  const key = `${objectKey}/voice.caf`
  const known = await MEDIA.head(key)
  if (known) return known.size > 0 ? known : null
  const ogg = await MEDIA.get(objectKey)
  const plan = ogg && (await planCaf(ogg.body))
  const again = plan && plan.size <= size * GROWTH_MAX ? await MEDIA.get(objectKey) : null
  if (!plan || !again) {
    if (ogg) await writeInTime(MEDIA.put(key, '', { httpMetadata: { contentType: CAF_TYPE } }))
    return null
  }
  await putStream(ctx.env, key, oggToCaf(again.body, plan), CAF_TYPE)
  return MEDIA.head(key)
}
