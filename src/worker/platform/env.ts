import type { Throttle } from '#worker/platform/rate-limiter.do.ts'
import type { SentJob } from '#worker/schema/job.ts'

/** Bindings and settings of one deployment: `wrangler.toml`, `wrangler secret put`, and `.dev.vars` on a laptop. */
export type Env = {
  ASSETS: Fetcher
  DB: D1Database
  MEDIA: R2Bucket
  KV: KVNamespace
  /** MemorialQuota: its feature knows the methods, and casts. */
  QUOTA: DurableObjectNamespace
  /** UploadStore, likewise. */
  UPLOADS: DurableObjectNamespace
  THROTTLE: DurableObjectNamespace<Throttle>
  JOBS: Queue<SentJob>
  /** For what takes seconds. Answered by the same handler. */
  PICTURES: Queue<SentJob>
  IMAGES: ImagesBinding
  /** What is counted (metrics.ts). A deployment may be without. */
  COUNTERS?: AnalyticsEngineDataset
  /** Which upload of the Worker this is. */
  VERSION?: WorkerVersionMetadata
  LIMIT_LOGIN: RateLimit
  LIMIT_ACCOUNT_MAIL: RateLimit
  LIMIT_INVITE: RateLimit
  LIMIT_CONTRIBUTOR_SESSION: RateLimit
  LIMIT_MAP_IMAGE: RateLimit
  LIMIT_SLUG: RateLimit
  LIMIT_HEALTH: RateLimit
  LIMIT_CLIENT_ERRORS: RateLimit

  PUBLIC_ORIGIN: string
  STRIPE_API_URL: string
  STRIPE_JS_URL: string
  STRIPE_PUBLISHABLE_KEY?: string
  MAIL_API_URL: string
  MAIL_FROM: string
  SUPPORT_EMAIL: string
  /**
   * Template of a static map provider's address, with its key: `{latitude}`, `{longitude}`, `{zoom}`, `{width}`, `{height}`.
   * Without it the location card has no picture.
   */
  MAP_IMAGE_URL?: string
  /** Page where mail can be read in local development. */
  MAILBOX_URL?: string

  /** Secrets. A feature whose secret is missing refuses to start, loudly. */
  PASSWORD_PEPPER?: string
  /** The one before, while it is being replaced: whoever signs in with it is hashed anew. */
  PASSWORD_PEPPER_OLD?: string
  STRIPE_SECRET_KEY?: string
  STRIPE_WEBHOOK_SECRET?: string
  MAILCHANNELS_API_KEY?: string
  ACCESS_TEAM_DOMAIN?: string
  ACCESS_AUD?: string
}

/** Exports of this Worker, reached without leaving it: https://developers.cloudflare.com/workers/runtime-apis/context/#exports */
export type LoopbackExports = { PublicPages: Fetcher & { purge: (tags: string[]) => Promise<void> } }
