import type { HealthPart } from '#shared/health.ts'
import type { Ctx } from '#worker/platform/ctx.ts'

/** One object that each check overwrites, outside the prefixes that the sweep reads. */
const PROBE_KEY = 'system/probe'
/** The smallest valid GIF. */
const PIXEL = Uint8Array.from(atob('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='), (character) =>
  character.charCodeAt(0),
)

/** Makes the cheapest call that shows that a binding works. Returns its duration in ms; throws what the call throws. */
export async function probePart(ctx: Ctx, part: HealthPart): Promise<number> {
  const startedAt = ctx.now()
  await PROBES[part](ctx)
  return ctx.now() - startedAt
}

const PROBES: Record<HealthPart, (ctx: Ctx) => Promise<unknown>> = {
  database: (ctx) => ctx.env.DB.prepare('select 1').first(),
  async storage(ctx) {
    await ctx.env.MEDIA.put(PROBE_KEY, ctx.requestId)
    if (!(await ctx.env.MEDIA.head(PROBE_KEY))) throw new Error('the probe object is missing')
  },
  sessions: (ctx) => ctx.env.KV.get('system:probe'),
  // One object represents all three classes, which share one platform and fail together.
  counters: (ctx) => ctx.env.THROTTLE.getByName('system:probe').peek({ limit: 1, windowMs: 1 }, ctx.now()),
  queue: (ctx) => ctx.env.JOBS.metrics(),
  // `info` reads without transforming, so it is not billed (https://developers.cloudflare.com/images/pricing/).
  pictures: (ctx) => ctx.env.IMAGES.info(new Blob([PIXEL]).stream()),
}
