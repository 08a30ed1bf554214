import type { App } from '#worker/http/route.ts'

export function mediaRoutes(_app: App): void {}
