"""What this machine does to results, and the settings that can be changed.

Start at :func:`whyfast.measure.doctor.readings.examine`, :func:`whyfast.measure.doctor.tune.tune`
and :func:`whyfast.measure.doctor.tune.restore`.
"""
