-- Heights, water and materials of columns of nodes, from the tiles under them. A node x, z is the world's sample known.x + x,
-- known.y - z. Ground fills nodes up to floor((height - sea) / up), so its upper face is within half a node of the height.
local SIDE = 256
local byte, floor = string.byte, math.floor
local bxor, rshift = bit.bxor, bit.rshift
local POWER = {}
for e = 1, 254 do
	POWER[e] = 2 ^ (e - 150)
end

-- The binary32 that begins behind byte `at`; nil of what is no number.
local function f32(data, at)
	local a, b, c, d = byte(data, at + 1, at + 4)
	local e = d % 128 * 2 + floor(c / 128)
	if e == 255 then
		return nil
	end
	local m = a + 256 * b + 65536 * (c % 128)
	local v = e > 0 and (m + 8388608) * POWER[e] or m * 2 ^ -149
	return d >= 128 and -v or v
end

-- A number of 0 .. 254 that is a function of the place.
local function hash(x, y)
	local h = x % 65536 * 65536 + y % 65536
	for _ = 1, 3 do
		h = bxor(h, rshift(h, 15)) % 4294967296 * 1103515 % 4294967296
	end
	return floor(h / 65536) % 255
end

-- The same of patches some nodes wide with ragged edges: where materials mix, they do in patches, as much of each as it weighs.
local function patch(x, y)
	local h = hash(x, y)
	return hash(floor((x + h % 4) / 5), floor((y + floor(h / 4) % 4) / 5))
end

return function(world, tiles, materials)
	local ground = {}

	local function material(tile, at, x, y)
		if not tile.cover0 then
			return 1
		end
		local rest = patch(x, y)
		for band = 0, tile.cover1 and 1 or 0 do
			local a, b, c, d = byte(band == 0 and tile.cover0 or tile.cover1, at + 1, at + 4)
			local m = 4 * band
			if rest < a then return m + 1 end
			if rest < a + b then return m + 2 end
			if rest < a + b + c then return m + 3 end
			if rest < a + b + c + d then return m + 4 end
			rest = rest - (a + b + c + d)
		end
		return 1
	end

	-- A part of a row of columns that lies on one tile. Returns false when a height is no number.
	local function part(out, tile, k, sx, sy, count)
		local up, sea = world.known.up_m, world.known.sea_m
		local at = 4 * ((sy % SIDE) * SIDE + sx % SIDE)
		for i = 0, count - 1 do
			local h, s = f32(tile.height, at), f32(tile.surface, at)
			if not h or not s then
				return false
			end
			local top = floor((h - sea) / up)
			local wet = s > h and floor((s - sea) / up) or top
			local m = material(tile, at, sx + i, sy)
			local river = wet == top and tile.river and f32(tile.river, at) or 0
			out.top[k + i], out.wet[k + i], out.river[k + i] = top, wet, river > 0
			out.material[k + i] = materials.top[m] and m or 1
			out.low, out.high = math.min(out.low, top), math.max(out.high, wet)
			out.flows = out.flows or river > 0 or wet > math.max(top, 0)
			at = at + 4
		end
		return true
	end

	-- Of nodes x0 .. x1, z0 .. z1, row by row: top (of ground), wet (of ground or water), river, material. nil: not all tiles are here.
	function ground.read(x0, x1, z0, z1)
		local known = world.known
		local out = {top = {}, wet = {}, river = {}, material = {}, low = math.huge, high = -math.huge, flows = false}
		local k = 1
		for z = z0, z1 do
			local sy, sx, last = known.y - z, known.x + x0, known.x + x1
			while sx <= last do
				local tx, ty = floor(sx / SIDE), floor(sy / SIDE)
				local tile = tiles.get(tx, ty)
				local count = math.min(last, SIDE * tx + SIDE - 1) - sx + 1
				if not tile then
					return nil
				elseif not part(out, tile, k, sx, sy, count) then
					tiles.drop(tx, ty)
					return nil, "a height that is no number"
				end
				sx, k = sx + count, k + count
			end
		end
		return out
	end

	return ground
end
