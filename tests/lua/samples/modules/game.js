import { steer } from "./keys.js";
addEventListener("keydown", (event) => steer(event.code));
