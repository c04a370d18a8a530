-- Chunks whose ground was not here when the engine wanted them. They are of a node that players can neither see nor dig nor fall
-- through, until their ground is here: then they are deleted, and the engine makes them anew. Which they are is kept beside the map,
-- so that a stop, or a crash, does not leave one behind. (`ignore` would do, but a VoxelManip does not write it.)
local NODE = "terrane:waiting"
local KEEP_US = 60e6 -- by then the map itself is on the disk

minetest.register_node(NODE, {
	description = "Ground that is not here yet",
	drawtype = "airlike", paramtype = "light", sunlight_propagates = true,
	pointable = false, diggable = false, is_ground_content = false, drop = "", groups = {not_in_creative_inventory = 1},
})

return function(tiles)
	local later = {node = NODE}
	local file = minetest.get_worldpath() .. "/terrane-later.txt"
	local waiting, made = {}, {}

	local function name(minp, maxp)
		return ("%d %d %d %d %d %d"):format(minp.x, minp.y, minp.z, maxp.x, maxp.y, maxp.z)
	end

	local function box(text)
		local n = {}
		for each in text:gmatch("%-?%d+") do
			n[#n + 1] = tonumber(each)
		end
		if #n == 6 then
			return vector.new(n[1], n[2], n[3]), vector.new(n[4], n[5], n[6])
		end
	end

	local kept = io.open(file)
	if kept then
		for text in kept:lines() do
			if box(text) then
				waiting[text] = true
			end
		end
		kept:close()
	end

	local function write()
		local lines = {}
		for _, set in ipairs({waiting, made}) do
			for each in pairs(set) do
				lines[#lines + 1] = each .. "\n"
			end
		end
		minetest.safe_file_write(file, table.concat(lines))
	end

	function later.add(minp, maxp)
		local each = name(minp, maxp)
		if not waiting[each] then
			waiting[each], made[each] = true, nil
			local out = io.open(file, "a")
			out:write(each, "\n")
			out:close()
		end
	end

	function later.count()
		local count = 0
		for _ in pairs(waiting) do
			count = count + 1
		end
		return count
	end

	-- What was made, and maybe built upon, since must stay.
	local function is_empty(minp)
		return VoxelManip(minp, minp):get_node_at(minp).name == NODE
	end

	function later.step()
		local wanted = {}
		for each in pairs(waiting) do
			local minp, maxp = box(each)
			local under = tiles.under(minp.x, maxp.x, minp.z, maxp.z)
			if tiles.are_here(under) then
				waiting[each], made[each] = nil, minetest.get_us_time()
				if is_empty(minp) then
					minetest.delete_area(minp, maxp)
					minetest.emerge_area(minp, maxp)
				end
			else
				table.insert_all(wanted, under)
			end
		end
		tiles.want(wanted)
		local now, changed = minetest.get_us_time(), false
		for each, at in pairs(made) do
			if now - at > KEEP_US then
				made[each], changed = nil, true
			end
		end
		if changed then
			write()
		end
	end

	return later
end
