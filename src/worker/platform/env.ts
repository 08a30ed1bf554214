import type { Throttle } from '#worker/platform/rate-limiter.do.ts'
import type { SentJob } from '#worker/schema/jobs.table.ts'

/** Bindings that limit calls per IP address; their limits are in wrangler.toml. */
export const IP_LIMITS = [
  'LIMIT_LOGIN',
  'LIMIT_REGISTER',
  'LIMIT_FORGOT',
  'LIMIT_RESEND',
  'LIMIT_CONTACT',
  'LIMIT_MAIL_LINK',
  'LIMIT_INVITE',
  'LIMIT_CONTRIBUTOR_SESSION',
  'LIMIT_MAP_IMAGE',
  'LIMIT_SLUG',
  'LIMIT_HEALTH',
  'LIMIT_CLIENT_ERRORS',
] as const
export type IpLimit = (typeof IP_LIMITS)[number]

/** Bindings and settings of a deployment, from `wrangler.toml`, `wrangler secret put` and, locally, `.dev.vars`. */
export type Env = Record<IpLimit, RateLimit> & {
  ASSETS: Fetcher
  DB: D1Database
  MEDIA: R2Bucket
  KV: KVNamespace
  /** MemorialQuota; its feature casts to the type. */
  QUOTA: DurableObjectNamespace
  /** UploadStore, likewise. */
  UPLOADS: DurableObjectNamespace
  THROTTLE: DurableObjectNamespace<Throttle>
  JOBS: Queue<SentJob>
  /** For jobs that take seconds. The same handler consumes it. */
  PICTURES: Queue<SentJob>
  IMAGES: ImagesBinding
  /** Metrics (metrics.ts); optional. */
  COUNTERS?: AnalyticsEngineDataset
  /** Identifies the deployed version of the Worker. */
  VERSION?: WorkerVersionMetadata

  PUBLIC_ORIGIN: string
  STRIPE_API_URL: string
  STRIPE_JS_URL: string
  STRIPE_PUBLISHABLE_KEY?: string
  PAYNOW_API_URL: string
  MAIL_API_URL: string
  MAIL_FROM: string
  SUPPORT_EMAIL: string
  /**
   * URL template of a static map provider, including its key: `{latitude}`, `{longitude}`, `{zoom}`, `{width}`, `{height}`.
   * Without it, the location card has no map image.
   */
  MAP_IMAGE_URL?: string
  /** Slug of a public memorial that the landing page shows as an example. Without it, the page has no such link. */
  EXAMPLE_MEMORIAL_SLUG?: string
  /** Page that shows sent mail in local development. */
  MAILBOX_URL?: string

  /** Secrets. A feature whose secret is missing fails with `not_available`. */
  PASSWORD_PEPPER?: string
  /** The previous pepper during a rotation: a sign-in with it rehashes the password. */
  PASSWORD_PEPPER_OLD?: string
  STRIPE_SECRET_KEY?: string
  STRIPE_WEBHOOK_SECRET?: string
  MAILCHANNELS_API_KEY?: string
  /** Paynow's integration, what currency it is for (must be USD; Paynow's API doesn't say), and `live` or `test`. */
  PAYNOW_INTEGRATION_ID?: string
  PAYNOW_INTEGRATION_KEY?: string
  PAYNOW_CURRENCY?: string
  PAYNOW_MODE?: string
  ACCESS_TEAM_DOMAIN?: string
  ACCESS_AUD?: string
}

/** Loopback bindings to this Worker's own exports: https://developers.cloudflare.com/workers/runtime-apis/context/#exports */
export type LoopbackExports = { PublicPages: Fetcher & { purge: (tags: string[]) => Promise<void> } }
