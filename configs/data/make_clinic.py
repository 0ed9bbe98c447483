"""Make ``clinic.csv``: synthetic patients of a referral clinic, with the decisions of two releases of a referral model.

Nobody in this file exists. One harm is built in, so that the example's card has something to find: illness raises the
pulse of patients up to 75 clearly and that of older patients hardly. Release 2.4 relies on the pulse and misses many ill
patients over 75; its predecessor 2.3 does not look at the pulse and treats all ages alike. Nothing else depends on a group.

    python configs/data/make_clinic.py [FILE]

The same bytes on every machine: numpy guarantees the raw stream of a bit generator, and everything drawn is made from it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

SEED = 2421
N_PATIENTS = 5400
OLD = 75

SITES = {"North": 0.355, "Central": 0.280, "South": 0.205, "Harbour": 0.156, "Island": 0.004}
ETHNICITIES = {"White": 0.58, "Black": 0.16, "Asian": 0.14, "Mixed": 0.07, "Other": 0.05}
STAGES = {"I": 0.38, "II": 0.31, "III": 0.20, "IV": 0.11}

HEADER = (
    "patient_id,visit_year,age,sex,ethnicity,site,stage,pain,pulse,temperature,sex_f,"
    "triage_nurse,triage_physician,ill,risk_24,referred_23"
)


def clinic_csv() -> str:
    """The whole file as text."""
    draw = _Draws(SEED)
    age = np.clip(np.rint(57 + 17.5 * draw.normals()), 18, 97).astype(int)
    sex_f = (draw.uniforms() < 0.52).astype(int)
    ethnicity = draw.choices(ETHNICITIES)
    ethnicity[draw.uniforms() < 0.013] = ""
    site = draw.choices(SITES)
    visit_year = np.where(draw.uniforms() < 0.075, 2025, 2026)
    ill = (draw.uniforms() < 0.27 + 0.003 * (age - 57)).astype(int)
    stage = np.where(ill == 1, draw.choices({"I": 0.22, "II": 0.30, "III": 0.28, "IV": 0.20}), draw.choices(STAGES))

    pulse_shift = np.where(age > OLD, 7.0, 16.0)
    pain = np.clip(np.rint(3.6 + 2.5 * ill + 2.0 * draw.normals()), 0, 10).astype(int)
    pulse = np.clip(np.rint(74 + pulse_shift * ill + 11.5 * draw.normals()), 40, 170).astype(int)
    temperature = np.clip(np.round(36.9 + 0.7 * ill + 0.6 * draw.normals(), 1), 35.0, 41.5)

    risk_24 = 1 / (1 + np.exp(3.3 - 0.62 * (pain - 3.6) - 0.121 * (pulse - 74) - 1.94 * (temperature - 36.9)))
    referred_23 = (0.70 * (pain - 3.6) + 2.2 * (temperature - 36.9) + 0.5 * draw.normals() >= 1.82).astype(int)
    nurse = (0.75 * (pain - 3.6) + 1.2 * (temperature - 36.9) + 0.9 * draw.normals() >= 1.7).astype(int)
    physician = (0.45 * (pain - 3.6) + 1.9 * (temperature - 36.9) + 0.9 * draw.normals() >= 1.4).astype(int)
    nurse_asked = draw.uniforms() >= 0.02
    physician_asked = draw.uniforms() >= 0.03

    lines = [HEADER]
    for i in range(N_PATIENTS):
        lines.append(
            f"P{i + 1:05d},{visit_year[i]},{age[i]},{'Female' if sex_f[i] else 'Male'},{ethnicity[i]},{site[i]},{stage[i]},"
            f"{pain[i]},{pulse[i]},{temperature[i]:.1f},{sex_f[i]},{nurse[i] if nurse_asked[i] else ''},"
            f"{physician[i] if physician_asked[i] else ''},{ill[i]},{risk_24[i]:.3f},{referred_23[i]}"
        )
    return "\n".join(lines) + "\n"


class _Draws:
    """Independent draws for every patient, all from one raw stream."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def uniforms(self) -> np.ndarray:
        """Uniform on [0, 1)."""
        raw = np.asarray(self._bits.random_raw(N_PATIENTS), dtype=np.uint64)
        return (raw >> np.uint64(11)) * 2.0**-53

    def normals(self) -> np.ndarray:
        """Standard normal, by Box and Muller's transform."""
        radius = np.sqrt(-2 * np.log1p(-self.uniforms()))
        return radius * np.cos(2 * np.pi * self.uniforms())

    def choices(self, shares: dict[str, float]) -> np.ndarray:
        """One of the keys each, with these probabilities."""
        cuts = np.cumsum(list(shares.values()))[:-1]
        return np.array(list(shares), dtype=object)[np.searchsorted(cuts, self.uniforms(), side="right")]


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("clinic.csv")
    target.write_text(clinic_csv(), encoding="utf-8", newline="\n")
