import { Buffer } from 'node:buffer'
import type { PasskeyCreation, PasskeyRequest } from '#shared/accounts/passkeys.ts'
import { ORIGIN } from './harness.ts'

/** Flags of authenticator data: somebody was there, their device checked who, it holds a new credential. */
const PRESENT = 1
const VERIFIED = 4
const ATTESTED = 64

type Options = {
  origin?: string
  rpId?: string
  isVerified?: boolean
  /** The counter that it says; default: one more than before. */
  counter?: number
  challenge?: string
}

/** A phone with one passkey, in software: P-256, as WebAuthn and COSE lay down its bytes. */
export class Authenticator {
  readonly id = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url')
  counter = 0
  /** Phones that share passkeys through a cloud don't count. */
  counts = true
  userHandle: string | undefined
  #keys: CryptoKeyPair | null = null

  async create(asked: PasskeyCreation, options: Options = {}) {
    this.userHandle = asked.user.id
    this.#keys = (await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
      'sign',
      'verify',
    ])) as CryptoKeyPair
    const { x = '', y = '' } = (await crypto.subtle.exportKey('jwk', this.#keys.publicKey)) as JsonWebKey
    const id = Buffer.from(this.id, 'base64url')
    // A map of 5: kty EC2, alg ES256, crv P-256, x, y.
    const key = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ])
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key])
    const data = await this.#data(asked.rp.id, ATTESTED, options, attested)
    const length = Buffer.from([0x58, data.length])
    const attestationObject = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
      length,
      data,
    ])
    return {
      credential: {
        id: this.id,
        rawId: this.id,
        type: 'public-key' as const,
        response: {
          clientDataJSON: clientData('webauthn.create', asked.challenge, options).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      },
    }
  }

  async get(asked: PasskeyRequest, options: Options = {}) {
    if (!this.#keys) throw new Error('this phone has no passkey yet')
    const client = clientData('webauthn.get', asked.challenge, options)
    const data = await this.#data(asked.rpId, 0, options)
    const signed = Buffer.concat([data, await sha256(client)])
    const raw = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, this.#keys.privateKey, signed)
    return {
      credential: {
        id: this.id,
        rawId: this.id,
        type: 'public-key' as const,
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: toDer(Buffer.from(raw)).toString('base64url'),
          userHandle: this.userHandle,
        },
      },
    }
  }

  async #data(rpId: string, flags: number, options: Options, attested = Buffer.alloc(0)) {
    if (options.counter !== undefined) this.counter = options.counter
    else if (this.counts) this.counter++
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    const verified = options.isVerified === false ? 0 : VERIFIED
    const hash = await sha256(Buffer.from(options.rpId ?? rpId))
    return Buffer.concat([hash, Buffer.from([PRESENT | verified | flags]), counter, attested])
  }
}

function clientData(type: string, challenge: string, options: Options): Buffer {
  const data = {
    type,
    challenge: options.challenge ?? challenge,
    origin: options.origin ?? ORIGIN,
    crossOrigin: false,
  }
  return Buffer.from(JSON.stringify(data))
}

async function sha256(bytes: Buffer): Promise<Buffer> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes))
}

/** The two numbers of a signature as ASN.1, in which WebAuthn has them. */
function toDer(raw: Buffer): Buffer {
  const numbers = [raw.subarray(0, 32), raw.subarray(32)].map((number) => {
    const start = number.findIndex((byte) => byte !== 0)
    const short = number.subarray(start)
    const body = (short[0] ?? 0) > 127 ? Buffer.concat([Buffer.alloc(1), short]) : short
    return Buffer.concat([Buffer.from([2, body.length]), body])
  })
  const body = Buffer.concat(numbers)
  return Buffer.concat([Buffer.from([0x30, body.length]), body])
}
