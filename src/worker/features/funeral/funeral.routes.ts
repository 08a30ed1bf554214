import type { App } from '#worker/http/route.ts'

export function funeralRoutes(_app: App): void {}
