import dataUri from '#worker/features/previews/neutral-card.jpg?inline'

/** The service's own card, rendered by tools/build/neutral-card.ts. */
export function neutralCardBytes(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(dataUri.slice(dataUri.indexOf(',') + 1)), (char) => char.charCodeAt(0))
}
