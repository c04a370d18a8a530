-- Players begin on the dry ground nearest to the map's centre, which is the world's own spawn unless minetest.conf says another.
local REACH = 100 -- nodes around the centre

return function(world, tiles, ground)
	local spawn = {}
	local place
	local waiting = {}

	local function dry(columns)
		local best, nearest
		local width = 2 * REACH + 1
		for k = 1, width * width do
			local x, z = (k - 1) % width - REACH, math.floor((k - 1) / width) - REACH
			local wet = columns.wet[k] > columns.top[k] or columns.river[k]
			local d = x * x + z * z + (wet and 1e6 or 0)
			if not best or d < nearest then
				best, nearest = vector.new(x, columns.wet[k] + 1, z), d
			end
		end
		return best
	end

	local function find()
		local under = tiles.under(-REACH, REACH, -REACH, REACH)
		tiles.want(under)
		local columns = tiles.are_here(under) and ground.read(-REACH, REACH, -REACH, REACH)
		place = columns and dry(columns) or nil
	end

	-- Where players begin; nil while that is not known.
	function spawn.place()
		return place
	end

	function spawn.put(player)
		if place then
			player:set_pos(place)
		else
			waiting[player:get_player_name()] = true
		end
	end

	function spawn.step()
		if not place and world.known then
			find()
		end
		if place then
			for name in pairs(waiting) do
				local player = minetest.get_player_by_name(name)
				if player then
					player:set_pos(place)
				end
			end
			waiting = {}
		end
	end

	return spawn
end
