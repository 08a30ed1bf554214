import type { App } from '#worker/http/route.ts'

export function commentRoutes(_app: App): void {}
