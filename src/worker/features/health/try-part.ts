import type { HealthPart } from '#shared/health.ts'
import type { Ctx } from '#worker/platform/ctx.ts'

/** One object, written over at each look. Outside of what the sweep goes through. */
const PROBE_KEY = 'system/probe'
/** The smallest GIF there is. */
const PIXEL = Uint8Array.from(atob('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='), (character) =>
  character.charCodeAt(0),
)

/** Asks one binding for the least that shows that it works. Gives the milliseconds it took; throws what it throws. */
export async function tryPart(ctx: Ctx, part: HealthPart): Promise<number> {
  const begun = ctx.now()
  await TRIES[part](ctx)
  return ctx.now() - begun
}

const TRIES: Record<HealthPart, (ctx: Ctx) => Promise<unknown>> = {
  database: (ctx) => ctx.env.DB.prepare('select 1').first(),
  async storage(ctx) {
    await ctx.env.MEDIA.put(PROBE_KEY, ctx.requestId)
    if (!(await ctx.env.MEDIA.head(PROBE_KEY))) throw new Error('the probe object is not there')
  },
  sessions: (ctx) => ctx.env.KV.get('system:probe'),
  // One object stands for all three classes: they live and fall together.
  counters: (ctx) => ctx.env.THROTTLE.getByName('system:probe').peek({ limit: 1, windowMs: 1 }, ctx.now()),
  queue: (ctx) => ctx.env.JOBS.metrics(),
  // Told and not changed: not billed (https://developers.cloudflare.com/images/pricing/).
  pictures: (ctx) => ctx.env.IMAGES.info(new Blob([PIXEL]).stream()),
}
