import {
  BlobSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacketSink,
  Input,
  OggOutputFormat,
  Output,
  WEBM,
} from 'mediabunny'

/** Remuxes a WebM recording to Ogg: the same Opus packets, not re-encoded. Throws if it isn't WebM with audio. */
export async function webmToOgg(webm: Blob): Promise<Blob> {
  const input = new Input({ source: new BlobSource(webm), formats: [WEBM] })
  try {
    const track = await input.getPrimaryAudioTrack()
    const decoderConfig = await track?.getDecoderConfig()
    if (!track || !decoderConfig) throw new Error('the recording has no audio track')
    const target = new BufferTarget()
    const output = new Output({ format: new OggOutputFormat(), target })
    const source = new EncodedAudioPacketSource('opus')
    output.addAudioTrack(source)
    await output.start()
    for await (const packet of new EncodedPacketSink(track).packets()) {
      await source.add(packet, { decoderConfig })
    }
    await output.finalize()
    if (!target.buffer) throw new Error('the remuxed recording is empty')
    return new Blob([target.buffer], { type: 'audio/ogg' })
  } finally {
    input.dispose()
  }
}
