-- Makes chunks: on_generated with the engine's own VoxelManip, so that what other mods do there stays.
local buffer = {}

return function(line, world, tiles, ground, materials, later, settings)
	local chunk = {made = 0}

	local function fill(minp, maxp, put)
		local vm, emin, emax = minetest.get_mapgen_object("voxelmanip")
		local area = VoxelArea:new({MinEdge = emin, MaxEdge = emax})
		vm:get_data(buffer)
		put(area)
		vm:set_data(buffer)
		return vm
	end

	local function all(minp, maxp, id)
		return fill(minp, maxp, function(area)
			for z = minp.z, maxp.z do
				for y = minp.y, maxp.y do
					local at = area:index(minp.x, y, z)
					for i = at, at + maxp.x - minp.x do
						buffer[i] = id
					end
				end
			end
		end)
	end

	-- The nodes of a row at a height: stone, the material, water, or as they are.
	local function row(columns, k, y, at, width)
		local top, wet, river, kind = columns.top, columns.wet, columns.river, columns.material
		local stone, water, stream = materials.stone, materials.water, materials.river
		local tops, below, under = materials.top, materials.below, materials.wet
		for i = 0, width - 1 do
			local depth = top[k + i] - y
			if depth > 3 then
				buffer[at + i] = stone
			elseif depth > 0 then
				buffer[at + i] = depth == 1 and river[k + i] and under[kind[k + i]] or below[kind[k + i]]
			elseif depth == 0 then
				buffer[at + i] = river[k + i] and stream or wet[k + i] > y and under[kind[k + i]] or tops[kind[k + i]]
			elseif y <= wet[k + i] then
				buffer[at + i] = water
			end
		end
	end

	local function build(minp, maxp, columns)
		local width = maxp.x - minp.x + 1
		local vm = fill(minp, maxp, function(area)
			for z = minp.z, maxp.z do
				local k = (z - minp.z) * width + 1
				for y = minp.y, math.min(maxp.y, columns.high) do
					row(columns, k, y, area:index(minp.x, y, z), width)
				end
			end
		end)
		return vm
	end

	local function finish(vm, flows)
		vm:calc_lighting()
		vm:write_to_map()
		if flows then
			vm:update_liquids()
		end
		chunk.made = chunk.made + 1
	end

	-- Whether tiles came in time. While the server does not answer nobody waits for it.
	local function wait(under)
		local from = minetest.get_us_time()
		tiles.want(under)
		while not tiles.are_here(under) and not line.fault and line.is_open() and minetest.get_us_time() - from < settings.wait_us do
			local pause = minetest.get_us_time() + 200
			while minetest.get_us_time() < pause do end
			line.poll()
			tiles.want(under)
		end
		return tiles.are_here(under)
	end

	local function keep_empty(minp, maxp)
		later.add(minp, maxp)
		finish(all(minp, maxp, minetest.get_content_id(later.node)))
	end

	local function around(minp, maxp)
		local dx, dz = maxp.x - minp.x + 1, maxp.z - minp.z + 1
		return tiles.under(minp.x - 2 * dx, maxp.x + 2 * dx, minp.z - 2 * dz, maxp.z + 2 * dz)
	end

	local function generate(minp, maxp)
		local known = world.known
		if known and minp.y > world.high then
			return -- air, as it is
		end
		if known and maxp.y < world.low then
			return finish(all(minp, maxp, materials.stone))
		end
		local columns
		if known and wait(tiles.under(minp.x, maxp.x, minp.z, maxp.z)) then
			local fault
			columns, fault = ground.read(minp.x, maxp.x, minp.z, maxp.z)
			if fault then
				line.wrong(fault)
			end
		end
		if not columns then
			return keep_empty(minp, maxp)
		end
		if minp.y <= columns.high then
			finish(build(minp, maxp, columns), columns.flows)
		end
		tiles.want(around(minp, maxp))
	end

	-- Where that fails by a fault of this program, no ground is left behind, either.
	function chunk.generate(minp, maxp)
		local well, text = pcall(generate, minp, maxp)
		if not well then
			keep_empty(minp, maxp)
			error(text, 0)
		end
	end

	return chunk
end
