/** Degrees as text, so that the form shows what was pasted and the server's schema validates it. */
export type Coordinates = { latitude: string; longitude: string }

const NUMBER = String.raw`(-?\d{1,3}(?:\.\d+)?)`
const PAIR = new RegExp(String.raw`^\s*${NUMBER}\s*(?:,|\s)\s*${NUMBER}\s*$`, 'u')
/** `/@-17.8,31.05,14z`: where Google's map is centred. */
const GOOGLE_CENTRE = new RegExp(`@${NUMBER},${NUMBER}`, 'u')
/** `!3d-17.8!4d31.05`: the place itself in Google's own links; preferred over the centre. */
const GOOGLE_PLACE = new RegExp(`!3d${NUMBER}!4d${NUMBER}`, 'u')
/** `#map=14/-17.8/31.05` of OpenStreetMap. */
const OSM_HASH = new RegExp(String.raw`map=\d+(?:\.\d+)?/${NUMBER}/${NUMBER}`, 'u')
/** `geo:-17.8,31.05?q=-17.8,31.05(Grave)`: RFC 5870 and Android's variant. */
const GEO = new RegExp(`^geo:${NUMBER},${NUMBER}`, 'iu')
const HEMISPHERES = /^\s*(\d{1,2}(?:\.\d+)?)\s*°?\s*([NS])[\s,]+(\d{1,3}(?:\.\d+)?)\s*°?\s*([EW])\s*$/iu

/** Parameters with "lat,lng", most reliable first: Google q, query, destination; Apple ll, coordinate, q. */
const PAIR_PARAMETERS = ['q', 'query', 'destination', 'daddr', 'coordinate', 'll', 'center']

/**
 * Reads the position from a map link (Google Maps, Apple Maps, WhatsApp, OpenStreetMap, `geo:`) or from plain "lat, lng".
 * Null if there is none, as in shortened links, where only the redirect target has it.
 */
export function parseMapLink(text: string): Coordinates | null {
  const trimmed = decoded(text.trim())
  return (
    coordinates(PAIR.exec(trimmed)) ??
    withHemispheres(trimmed) ??
    fromGeo(trimmed) ??
    fromAddress(linkIn(trimmed))
  )
}

function decoded(text: string): string {
  try {
    return decodeURI(text)
  } catch {
    // A stray percent sign: use the text undecoded.
    return text
  }
}

/** The first web address in shared text ("Here is the grave: https://…"). */
function linkIn(text: string): URL | null {
  const match = /https?:\/\/\S+/u.exec(text)
  return match && URL.canParse(match[0]) ? new URL(match[0]) : null
}

function fromGeo(text: string): Coordinates | null {
  const point = coordinates(GEO.exec(text))
  const query = /[?&]q=([^(&]+)/u.exec(text)?.[1]
  // Android writes geo:0,0?q=lat,lng for a named place.
  return point && query ? (coordinates(PAIR.exec(query)) ?? point) : point
}

function fromAddress(url: URL | null): Coordinates | null {
  if (!url) return null
  const place = coordinates(GOOGLE_PLACE.exec(url.href))
  if (place) return place
  const marker = { latitude: url.searchParams.get('mlat'), longitude: url.searchParams.get('mlon') }
  if (marker.latitude && marker.longitude) {
    return coordinates(PAIR.exec(`${marker.latitude},${marker.longitude}`))
  }
  for (const name of PAIR_PARAMETERS) {
    const value = url.searchParams.get(name)?.replace(/^loc:/u, '')
    const found = value ? coordinates(PAIR.exec(value)) : null
    if (found) return found
  }
  const inPath = /\/(?:search|place|dir)\/([^/]+)/u.exec(url.pathname)?.[1]
  return (
    (inPath ? coordinates(PAIR.exec(inPath.replaceAll('+', ''))) : null) ??
    coordinates(GOOGLE_CENTRE.exec(url.pathname)) ??
    coordinates(OSM_HASH.exec(url.hash))
  )
}

function withHemispheres(text: string): Coordinates | null {
  const match = HEMISPHERES.exec(text)
  if (!match) return null
  const [, north = '', ns = '', east = '', ew = ''] = match
  return inRange({
    latitude: `${ns.toUpperCase() === 'S' ? '-' : ''}${north}`,
    longitude: `${ew.toUpperCase() === 'W' ? '-' : ''}${east}`,
  })
}

function coordinates(match: RegExpExecArray | null): Coordinates | null {
  if (!match) return null
  const [, latitude = '', longitude = ''] = match
  return inRange({ latitude, longitude })
}

function inRange(point: Coordinates): Coordinates | null {
  const fits = Math.abs(Number(point.latitude)) <= 90 && Math.abs(Number(point.longitude)) <= 180
  return fits ? point : null
}

/** Removes everything from typed coordinates except digits, minus and dot. */
export function onlyDegrees(text: string): string {
  return text.replaceAll(/[^\d.-]/gu, '')
}
