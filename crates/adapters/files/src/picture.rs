//! Pictures of users: rotated upright, reduced and re-encoded, so that nothing about camera, place or time remains.
//! Invalid files and decompression bombs are refused before decoding.

use std::{borrow::Cow, io::Cursor};

use image::{
    DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, Rgb, RgbImage,
    codecs::jpeg::JpegEncoder,
};

/// Longest side that is taken, in pixels.
pub const SIDE_MAX: u32 = 12_000;
/// Most pixels that are taken.
pub const PIXELS_MAX: u64 = 40_000_000;
/// Longest side of the stored picture.
pub const KEPT_SIDE: u32 = 2_048;
/// Longest side of its thumbnail.
pub const THUMBNAIL_SIDE: u32 = 320;
/// Most bytes of a decoded picture: 40 megapixels of 16 bits in four channels.
const DECODED_MAX: u64 = PIXELS_MAX * 8;
/// JPEG quality of the stored picture, in percent.
const QUALITY: u8 = 85;

/// The stored picture with its thumbnail: both JPEG.
#[derive(Debug)]
pub struct Picture {
    /// The picture.
    pub large: Vec<u8>,
    /// The same, small.
    pub thumbnail: Vec<u8>,
    /// Of the picture, in pixels.
    pub width: u32,
    /// Of the picture, in pixels.
    pub height: u32,
}

/// Why a picture is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureRefusal {
    /// It is no JPEG, PNG or WebP.
    NoPicture,
    /// It moves.
    Moves,
    /// It has too many pixels.
    TooLarge,
    /// It cannot be read to its end.
    Broken,
}

/// Reads and re-encodes a picture. Takes time and memory: not for a thread that others wait for.
pub fn clean(bytes: &[u8]) -> Result<Picture, PictureRefusal> {
    let format = image::guess_format(bytes).map_err(|_| PictureRefusal::NoPicture)?;
    if !matches!(format, ImageFormat::Jpeg | ImageFormat::Png | ImageFormat::WebP) {
        return Err(PictureRefusal::NoPicture);
    }
    if moves(bytes, format) {
        return Err(PictureRefusal::Moves);
    }
    if format == ImageFormat::Jpeg && !is_whole_jpeg(bytes) {
        return Err(PictureRefusal::Broken);
    }
    let bytes = without_profiles(bytes, format);
    let mut reader = ImageReader::with_format(Cursor::new(&*bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE_MAX);
    limits.max_image_height = Some(SIDE_MAX);
    limits.max_alloc = Some(DECODED_MAX);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(of)?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    // The library checks its limits while decoding; here they are checked before.
    if pixels == 0 || pixels > PIXELS_MAX || width.max(height) > SIDE_MAX {
        return Err(PictureRefusal::TooLarge);
    }
    if decoder.total_bytes() > DECODED_MAX {
        return Err(PictureRefusal::TooLarge);
    }
    let orientation = decoder.orientation().map_err(|_| PictureRefusal::Broken)?;
    let mut image = DynamicImage::from_decoder(decoder).map_err(of)?;
    if image.width().max(image.height()) > KEPT_SIDE {
        // Averages what falls together: finer filters hold several times the picture while they work.
        image = image.thumbnail(KEPT_SIDE, KEPT_SIDE);
    }
    image.apply_orientation(orientation);
    encode(&image)
}

/// A picture that the program makes, of the colours of its pixels.
pub fn paint(
    width: u32,
    height: u32,
    colour: impl Fn(u32, u32) -> [u8; 3],
) -> Result<Picture, PictureRefusal> {
    let painted = RgbImage::from_fn(width, height, |x, y| Rgb(colour(x, y)));
    encode(&DynamicImage::ImageRgb8(painted))
}

fn encode(image: &DynamicImage) -> Result<Picture, PictureRefusal> {
    let thumbnail = image.thumbnail(THUMBNAIL_SIDE, THUMBNAIL_SIDE);
    Ok(Picture {
        width: image.width(),
        height: image.height(),
        large: jpeg(image)?,
        thumbnail: jpeg(&thumbnail)?,
    })
}

/// A PNG without its compressed metadata, which could expand a thousandfold and is not stored.
fn without_profiles(bytes: &[u8], format: ImageFormat) -> Cow<'_, [u8]> {
    const SIGNATURE: usize = 8;
    const AROUND: usize = 12;
    if format != ImageFormat::Png || bytes.len() < SIGNATURE {
        return Cow::Borrowed(bytes);
    }
    let (mut kept, mut rest) = (bytes[..SIGNATURE].to_vec(), &bytes[SIGNATURE..]);
    while let Some((head, _)) = rest.split_first_chunk::<8>() {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let (chunk, after) = rest.split_at(rest.len().min(length.saturating_add(AROUND)));
        if ![b"iCCP", b"zTXt", b"iTXt"].iter().any(|name| head[4..] == **name) {
            kept.extend_from_slice(chunk);
        }
        rest = after;
    }
    kept.extend_from_slice(rest);
    Cow::Owned(kept)
}

/// Whether a JPEG is complete: decoders fill in missing data. Segments have a length; entropy-coded data after the
/// head of a scan extends to the next marker (ITU T.81, B.1.1).
fn is_whole_jpeg(bytes: &[u8]) -> bool {
    let mut at = 2;
    loop {
        let Some(marker) = bytes.get(at + 1).filter(|_| bytes.get(at) == Some(&0xff)) else {
            return false;
        };
        match marker {
            0xd9 => return true,
            // Fill bytes, and markers without a segment.
            0xff => at += 1,
            0x01 | 0xd0..=0xd8 => at += 2,
            _ => {
                let Some([high, low]) = bytes.get(at + 2..at + 4) else { return false };
                at += 2 + usize::from(u16::from_be_bytes([*high, *low]));
                if *marker == 0xda {
                    let coded = bytes.get(at..).unwrap_or_default();
                    let ends = |pair: &[u8]| {
                        pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xd0..=0xd7 | 0xff)
                    };
                    let Some(length) = coded.windows(2).position(ends) else { return false };
                    at += length;
                }
            }
        }
    }
}

fn of(error: image::ImageError) -> PictureRefusal {
    match error {
        image::ImageError::Limits(_) => PictureRefusal::TooLarge,
        _ => PictureRefusal::Broken,
    }
}

/// Whether a picture has several frames: of PNG and WebP their own chunks say so.
fn moves(bytes: &[u8], format: ImageFormat) -> bool {
    match format {
        ImageFormat::Png => image::codecs::png::PngDecoder::new(Cursor::new(bytes))
            .and_then(|decoder| decoder.is_apng())
            .unwrap_or(false),
        ImageFormat::WebP => image::codecs::webp::WebPDecoder::new(Cursor::new(bytes))
            .is_ok_and(|decoder| decoder.has_animation()),
        _ => false,
    }
}

/// A picture on white, where it lets something through, as a JPEG without anything beside it.
fn jpeg(image: &DynamicImage) -> Result<Vec<u8>, PictureRefusal> {
    let mut flat = image.to_rgba8();
    for pixel in flat.pixels_mut() {
        let alpha = u32::from(pixel[3]);
        for channel in 0..3 {
            let over = u32::from(pixel[channel]) * alpha + 255 * (255 - alpha);
            pixel[channel] = u8::try_from(over / 255).unwrap_or(255);
        }
    }
    let flat = DynamicImage::ImageRgba8(flat).to_rgb8();
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, QUALITY)
        .encode_image(&flat)
        .map_err(|_| PictureRefusal::Broken)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn striped(width: u32, height: u32) -> DynamicImage {
        // Red above, blue below.
        DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, |_, y| {
            if y < height / 2 { Rgb([220, 20, 20]) } else { Rgb([20, 20, 220]) }
        }))
    }

    fn as_format(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    /// A JPEG with an EXIF block of orientation and location.
    fn turned(image: &DynamicImage, orientation: u8) -> Vec<u8> {
        let plain = as_format(image, ImageFormat::Jpeg);
        let mut exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
        exif.extend([orientation, 0, 0, 0, 0, 0, 0, 0]);
        exif.extend(b"GPS 52.37 4.90");
        let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
        [&plain[..2], &[0xff, 0xe1], &length, &exif, &plain[2..]].concat()
    }

    #[test]
    fn pictures_are_rotated_reduced_and_reencoded() {
        let output = clean(&turned(&striped(3_000, 1_000), 6)).unwrap();
        assert_eq!((output.width, output.height), (683, 2_048));
        for bytes in [&output.large, &output.thumbnail] {
            assert!(!bytes.windows(4).any(|four| four == b"Exif"));
            assert!(!bytes.windows(3).any(|three| three == b"GPS"));
            let image = image::load_from_memory(bytes).unwrap().to_rgb8();
            // The former top is on the right.
            let right = image.get_pixel(image.width() - 10, image.height() / 2);
            assert!(right[0] > 150 && right[2] < 100, "{right:?}");
        }
        let small = image::load_from_memory(&output.thumbnail).unwrap();
        assert_eq!(small.width().max(small.height()), THUMBNAIL_SIDE);
    }

    #[test]
    fn every_kind_round_trips() {
        for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP] {
            let output = clean(&as_format(&striped(40, 30), format)).unwrap();
            assert_eq!((output.width, output.height), (40, 30));
            assert!(output.large.starts_with(&[0xff, 0xd8, 0xff]));
        }
    }

    #[test]
    fn transparent_pictures_get_a_white_background() {
        let clear = DynamicImage::new_rgba8(20, 20);
        let output = clean(&as_format(&clear, ImageFormat::Png)).unwrap();
        let image = image::load_from_memory(&output.large).unwrap().to_rgb8();
        assert!(image.get_pixel(10, 10).0.iter().all(|channel| *channel > 250));
    }

    #[test]
    fn non_pictures_and_bombs_are_refused() {
        let output = |bytes: &[u8]| clean(bytes).unwrap_err();
        assert_eq!(output(b""), PictureRefusal::NoPicture);
        assert_eq!(output(b"GIF89a\x01\0\x01\0\0\0\0"), PictureRefusal::NoPicture);
        assert_eq!(
            output(b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
            PictureRefusal::NoPicture
        );
        let whole = as_format(&striped(400, 300), ImageFormat::Png);
        assert_eq!(output(&whole[..whole.len() / 2]), PictureRefusal::Broken);
        // A header that promises more pixels than there is room for.
        for (width, height) in [(12_001_u32, 1_u32), (11_000, 11_000), (u32::MAX / 2, u32::MAX / 2)]
        {
            let mut bomb = as_format(&striped(4, 4), ImageFormat::Png);
            bomb[16..20].copy_from_slice(&width.to_be_bytes());
            bomb[20..24].copy_from_slice(&height.to_be_bytes());
            let crc = crc32(&bomb[12..29]);
            bomb[29..33].copy_from_slice(&crc.to_be_bytes());
            assert_eq!(output(&bomb), PictureRefusal::TooLarge, "{width} by {height}");
        }
    }

    fn crc32(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
                if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 }
            })
        })
    }

    #[test]
    fn compressed_png_metadata_is_never_unpacked() {
        let plain = as_format(&striped(8, 8), ImageFormat::Png);
        // Chunks that pretend to be a profile and a text: they are not parsed.
        let chunk = |name: &[u8; 4]| {
            let data = [7u8; 64];
            [&64u32.to_be_bytes()[..], name, &data, &[0; 4]].concat()
        };
        let (head, rest) = plain.split_at(33);
        let packed = [head, &chunk(b"iCCP"), &chunk(b"zTXt"), &chunk(b"iTXt"), rest].concat();
        assert_eq!(without_profiles(&packed, ImageFormat::Png), plain);
        assert_eq!((clean(&packed).unwrap().width, clean(&packed).unwrap().height), (8, 8));
        for cut in [0, 7, 8, 11, 20, 40] {
            assert!(without_profiles(&packed[..cut], ImageFormat::Png).len() <= cut);
        }
    }

    #[test]
    fn a_jpeg_that_is_cut_off_is_refused() {
        let noisy = DynamicImage::ImageRgb8(RgbImage::from_fn(64, 64, |x, y| {
            Rgb([(x * 37 % 251) as u8, (y * 91 % 241) as u8, (x * y % 239) as u8])
        }));
        let whole = turned(&noisy, 1);
        assert!(clean(&whole).is_ok());
        // Data after the end is ignored.
        assert!(clean(&[&whole[..], b"<script>"].concat()).is_ok());
        for cut in [whole.len() - 2, whole.len() - 1, whole.len() / 2, whole.len() / 10, 30, 3] {
            assert!(clean(&whole[..cut]).is_err(), "{cut} of {}", whole.len());
        }
    }
}
