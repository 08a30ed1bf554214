import type { App } from '#worker/http/route.ts'

export function inviteRoutes(_app: App): void {}
