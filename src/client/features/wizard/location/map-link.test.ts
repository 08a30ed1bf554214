import { expect, test } from 'vitest'
import { onlyDegrees, parseMapLink } from './map-link.ts'

const harare = { latitude: '-17.8252', longitude: '31.0335' }

test('the position is read from the links that people paste', () => {
  const pasted = [
    'https://www.google.com/maps?q=-17.8252,31.0335',
    'https://maps.google.com/maps?q=-17.8252%2C31.0335&z=17&hl=en',
    'https://www.google.com/maps/search/?api=1&query=-17.8252,31.0335',
    'https://www.google.com/maps/dir/?api=1&destination=-17.8252,31.0335',
    'https://www.google.com/maps/@-17.8252,31.0335,14z',
    'https://www.google.com/maps/search/-17.8252,+31.0335?entry=tts',
    'https://maps.apple.com/?ll=-17.8252,31.0335&q=Grave',
    'https://maps.apple.com/place?coordinate=-17.8252,31.0335&name=Grave',
    'https://www.openstreetmap.org/?mlat=-17.8252&mlon=31.0335#map=17/-17.0/31.0',
    'https://www.openstreetmap.org/#map=17/-17.8252/31.0335',
    'geo:-17.8252,31.0335;u=8',
    'geo:0,0?q=-17.8252,31.0335(Grave)',
    'Here is the grave: https://maps.google.com/?q=-17.8252,31.0335',
    'https://maps.google.com/?q=loc:-17.8252,31.0335',
    '-17.8252, 31.0335',
    ' -17.8252 31.0335 ',
    '17.8252° S, 31.0335° E',
  ]
  expect(pasted.map(parseMapLink)).toEqual(pasted.map(() => harare))
})

test('in a link to a place, the place wins over the centre of the map', () => {
  expect(
    parseMapLink(
      'https://www.google.com/maps/place/Yeovil/@-18.97,32.66,15z/data=!3m1!4b1!4m6!3m5!8m2!3d-17.8252!4d31.0335',
    ),
  ).toEqual(harare)
})

test('text without a position, or with an impossible one, gives null', () => {
  const nothing = [
    '',
    'Warren Hills',
    'https://maps.app.goo.gl/AbCdEf123',
    'https://www.google.com/maps/search/?api=1&query=Harare',
    '-97.8, 31.0',
    '-17.8, 231.0',
    '100%',
    '1,2,3',
  ]
  expect(nothing.map(parseMapLink)).toEqual(nothing.map(() => null))
})

test('typed coordinates keep only digits, minus and dot', () => {
  expect(onlyDegrees('-17.82°S x')).toBe('-17.82')
})
