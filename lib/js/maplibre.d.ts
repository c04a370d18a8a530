import type { Picture, PictureOptions, World } from './index.js';

/** A tile of the server's /xyz: zoom 18 is level 0. */
export function mapPicture(world: World, tile: { z: number; x: number; y: number } & Omit<PictureOptions, 'level' | 'x' | 'y'>): Promise<Picture>;

/** For MapLibre's addProtocol('terrane', ...): tiles at terrane://{z}/{x}/{y}?layer=relief, variant= and center=1. */
export function protocol(world: World): (request: { url: string }, stop: { signal: AbortSignal }) => Promise<{ data: ImageBitmap }>;
