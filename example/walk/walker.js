// Who walks: keys, mouse, gravity, water. It stands on ground.heightAt, which asks nobody.
import { MathUtils, Vector3 } from "three";

const EYE = 1.75, GRAVITY = 14, JUMP = 6, FLOAT = 1.35; // metres, seconds; so deep one stands in water that one swims in
const WALK = 5, RUN = 14, FLY = 60, FAST = 400;
const STEEP = 1.2; // metres a metre: nobody goes up that

export class Walker {
    yaw = 0;
    pitch = 0;
    feet = 0; // height
    flying = false;
    speed = undefined; // metres a second, where it is told
    #camera;
    #ground;
    #keys = new Set();
    #rise = 0;
    #stands = false;

    constructor(camera, ground, view) {
        this.#camera = camera;
        this.#ground = ground;
        camera.rotation.order = "YXZ";
        view.addEventListener("click", () => view.requestPointerLock?.());
        document.addEventListener("mousemove", ({ movementX, movementY, buttons }) => {
            if (document.pointerLockElement !== view && buttons !== 1) return;
            this.yaw -= movementX * 0.0022;
            this.pitch = MathUtils.clamp(this.pitch - movementY * 0.0022, -1.5, 1.5);
        });
        document.addEventListener("keydown", (event) => {
            if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT") return;
            if (event.code === "KeyF" && !event.repeat) this.flying = !this.flying;
            if (/^(Space|Arrow)/.test(event.code)) event.preventDefault();
            this.#keys.add(event.code);
        });
        document.addEventListener("keyup", ({ code }) => this.#keys.delete(code));
        addEventListener("blur", () => this.#keys.clear());
    }

    #held = (...codes) => codes.some((code) => this.#keys.has(code));

    /* Where the keys want to go: metres a second. */
    #wish() {
        const forward = this.#held("KeyW", "ArrowUp") - this.#held("KeyS", "ArrowDown"), right = this.#held("KeyD", "ArrowRight") - this.#held("KeyA", "ArrowLeft");
        const wish = new Vector3(right, 0, -forward);
        if (this.flying) wish.applyAxisAngle(new Vector3(1, 0, 0), this.pitch);
        wish.applyAxisAngle(new Vector3(0, 1, 0), this.yaw).normalize();
        const fast = this.#held("ShiftLeft", "ShiftRight");
        return wish.multiplyScalar(this.speed ?? (this.flying ? (fast ? FAST : FLY) : fast ? RUN : WALK));
    }

    /** Goes on by so many seconds. */
    step(seconds) {
        const passed = this.speed === undefined ? Math.min(seconds, 0.1) : seconds; // a hiccup is no leap
        const { position } = this.#camera, wish = this.#wish();
        const deep = this.#ground.depthAt(position.x, position.z), swims = deep > FLOAT;
        if (swims && !this.flying && this.speed === undefined) wish.multiplyScalar(0.5);
        const before = this.#ground.heightAt(position.x, position.z);
        const after = this.#ground.heightAt(position.x + wish.x * passed, position.z + wish.z * passed);
        const way = Math.hypot(wish.x, wish.z) * passed;
        if (this.flying || this.speed !== undefined || !(after - before > STEEP * way)) {
            position.x += wish.x * passed;
            position.z += wish.z * passed;
        }
        this.#fall(passed, wish.y * passed, swims);
        position.y = this.feet + EYE;
        this.#camera.rotation.set(this.pitch, this.yaw, 0);
    }

    #fall(passed, lift, swims) {
        const { position } = this.#camera, ground = this.#ground.heightAt(position.x, position.z);
        if (ground === undefined) return; // it has not come yet: nobody falls
        const floor = ground + Math.max(this.#ground.depthAt(position.x, position.z) - FLOAT, 0);
        if (this.flying) {
            this.#rise = 0;
            this.feet = Math.max(this.feet + lift, floor + 0.5);
            return;
        }
        if (this.#stands && this.#held("Space") && !swims) this.#rise = JUMP;
        this.#rise -= GRAVITY * passed;
        this.feet += this.#rise * passed;
        const down = this.#stands && this.#rise < 0 && this.feet - floor < 0.6; // down a slope one does not hop
        this.#stands = this.feet <= floor || down;
        if (!this.#stands) return;
        this.feet = floor;
        this.#rise = 0;
    }
}
